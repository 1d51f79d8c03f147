# Defines the imported target TileLang::TileLang: headers (as SYSTEM) and libraries of the installed wheel.

set(TILEGUARD_TILELANG_VERSION "0.1.15")
set(TILEGUARD_FFI_VERSION "0.1.11")

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
execute_process(
  COMMAND "${Python_EXECUTABLE}" "${CMAKE_CURRENT_LIST_DIR}/find_tilelang.py"
  OUTPUT_VARIABLE _found
  ERROR_VARIABLE _error
  RESULT_VARIABLE _status
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
if(NOT _status EQUAL 0)
  message(FATAL_ERROR "${_error}")
endif()
string(REPLACE "\n" ";" _found "${_found}")
foreach(_line IN LISTS _found)
  string(REGEX MATCH "^([A-Z_]+)=(.*)$" _ "${_line}")
  set(TG_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
endforeach()

if(NOT TG_TILELANG_VERSION STREQUAL TILEGUARD_TILELANG_VERSION)
  message(FATAL_ERROR "TileGuard is built for tilelang ${TILEGUARD_TILELANG_VERSION}, but ${TG_TILELANG_VERSION} is "
                      "installed: pip install tilelang==${TILEGUARD_TILELANG_VERSION}")
endif()
if(NOT TG_FFI_VERSION STREQUAL TILEGUARD_FFI_VERSION)
  message(FATAL_ERROR "TileLang's headers compile with apache-tvm-ffi ${TILEGUARD_FFI_VERSION}, but ${TG_FFI_VERSION} "
                      "is installed: pip install apache-tvm-ffi==${TILEGUARD_FFI_VERSION}")
endif()

add_library(TileLang INTERFACE)
add_library(TileLang::TileLang ALIAS TileLang)
target_include_directories(TileLang SYSTEM INTERFACE
  "${TG_TVM_INCLUDE}" "${TG_FFI_INCLUDE}" "${TG_TILELANG_SRC}")
# Linked so that a missing symbol fails the build. At load the sonames are those of libraries `import tilelang` has
# already mapped, so the shipped plugin needs no run path.
target_link_libraries(TileLang INTERFACE
  "${TG_TILELANG_LIBDIR}/libtilelang.so"
  "${TG_TILELANG_LIBDIR}/libtvm_compiler.so"
  "${TG_TILELANG_LIBDIR}/libtvm_runtime.so"
  "${TG_FFI_LIBDIR}/libtvm_ffi.so")

# Defines the imported target Isl::Isl (integer set library and the gmp under it).

find_path(ISL_INCLUDE isl/cpp.h)
find_library(ISL_LIBRARY isl)
find_library(GMP_LIBRARY gmp)
if(NOT ISL_INCLUDE OR NOT ISL_LIBRARY OR NOT GMP_LIBRARY)
  message(FATAL_ERROR "TileGuard needs isl with its C++ interface (isl/cpp.h) and gmp: apt-get install libisl-dev libgmp-dev")
endif()
mark_as_advanced(ISL_INCLUDE ISL_LIBRARY GMP_LIBRARY)

add_library(Isl INTERFACE)
add_library(Isl::Isl ALIAS Isl)
target_include_directories(Isl SYSTEM INTERFACE "${ISL_INCLUDE}")
target_link_libraries(Isl INTERFACE "${ISL_LIBRARY}" "${GMP_LIBRARY}")

#include "warnings.h"

#include <tvm/ffi/function.h>

#include <cstdio>

namespace tileguard {

void EmitWarning(const std::string& sentence) {
  const auto warn = tvm::ffi::Function::GetGlobal("tileguard.warn");
  if (warn) {
    (*warn)(tvm::ffi::String(sentence));
  } else {
    std::fprintf(stderr, "TileGuard: %s\n", sentence.c_str());
  }
}

}  // namespace tileguard

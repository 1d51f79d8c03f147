#include "simplify.h"

#include <tvm/arith/analyzer.h>

namespace tileguard {

tvm::PrimExpr Simplified(const tvm::PrimExpr& e) {
  thread_local tvm::arith::Analyzer analyzer;
  return analyzer.Simplify(e);
}

}  // namespace tileguard

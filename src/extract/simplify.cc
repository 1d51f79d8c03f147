#include "simplify.h"

#include <tvm/arith/analyzer.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <exception>

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

bool HoldsArithmetic(const PrimExpr& e) {
  bool found = false;
  PostOrderVisit(e, [&found](const tvm::ffi::ObjectRef& object) {
    found = found || object.as<AddNode>() != nullptr || object.as<SubNode>() != nullptr ||
            object.as<MulNode>() != nullptr;
  });
  return found;
}

// Is a value of `e` chosen by what a sum or product comes to?
bool ChoosesByArithmetic(const PrimExpr& e) {
  bool found = false;
  PostOrderVisit(e, [&found](const tvm::ffi::ObjectRef& object) {
    if (const auto* op = object.as<SelectNode>()) found = found || HoldsArithmetic(op->condition);
    const auto* call = object.as<CallNode>();
    if (call != nullptr && call->op.same_as(builtin::if_then_else())) {
      found = found || HoldsArithmetic(call->args[0]);
    }
    const auto* cast = object.as<CastNode>();
    if (cast != nullptr && cast->value.dtype().is_bool()) {
      found = found || HoldsArithmetic(cast->value);
    }
  });
  return found;
}

}  // namespace

tvm::PrimExpr Simplified(const tvm::PrimExpr& e) {
  if (ChoosesByArithmetic(e)) return e;
  thread_local tvm::arith::Analyzer analyzer;
  // The host's simplifier dies of some constants (a cast of a negative one to an unsigned type).
  try {
    return analyzer.Simplify(e);
  } catch (const std::exception&) {
    return e;
  }
}

}  // namespace tileguard

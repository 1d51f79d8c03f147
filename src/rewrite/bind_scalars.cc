#include "bind_scalars.h"

#include <tvm/tirx/builtin.h>
#include <tvm/tirx/expr_functor.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <utility>
#include <vector>

#include "../extract/memory_state.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

bool IsValue(const PrimExpr& e) {
  return e.as<BufferLoadNode>() != nullptr || e.as<VarNode>() != nullptr ||
         e.as<tvm::IntImmNode>() != nullptr || e.as<FloatImmNode>() != nullptr;
}

class Binder : public ExprMutator {
 public:
  Binder(std::string name, tvm::Span span, tvm::ffi::Array<Stmt>* prologue)
      : name_(std::move(name)), span_(std::move(span)), prologue_(prologue) {}

 private:
  PrimExpr Bound(const PrimExpr& e) {
    PrimExpr value = e;
    if (!path_.empty()) {
      PrimExpr reached = path_[0];
      for (size_t i = 1; i < path_.size(); ++i) reached = tvm::tirx::And(reached, path_[i]);
      value = tvm::if_then_else(reached, e, make_zero(e.dtype()), span_);
    }
    Var bound(name_ + "_index", e.dtype());
    prologue_->push_back(tvm::tirx::Bind(bound, value, span_));
    return bound;
  }

  PrimExpr Under(const PrimExpr& condition, const PrimExpr& e) {
    path_.push_back(condition);
    PrimExpr out = VisitExpr(e);
    path_.pop_back();
    return out;
  }

  PrimExpr VisitExpr_(const BufferLoadNode* op) final {
    return Bound(tvm::ffi::GetRef<PrimExpr>(op));
  }

  PrimExpr VisitExpr_(const CallNode* op) final {
    if (op->op.same_as(builtin::if_then_else()) && op->args[0].dtype().lanes() == 1) {
      // A guarded read is one value, with nothing in its arms that could wrap.
      if (IsValue(op->args[1]) && IsValue(op->args[2]))
        return Bound(tvm::ffi::GetRef<PrimExpr>(op));
      const PrimExpr condition = VisitExpr(op->args[0]);
      const PrimExpr yes = Under(condition, op->args[1]);
      const PrimExpr no = Under(tvm::tirx::Not(condition), op->args[2]);
      return Call(op->dtype, op->op, {condition, yes, no}, op->annotations, op->span);
    }
    const PrimExpr call = tvm::ffi::GetRef<PrimExpr>(op);
    return IsPure(call) && !op->op.same_as(builtin::if_then_else()) ? ExprMutator::VisitExpr_(op)
                                                                    : Bound(call);
  }

  PrimExpr VisitExpr_(const AndNode* op) final {
    if (op->dtype.lanes() != 1) return ExprMutator::VisitExpr_(op);
    const PrimExpr a = VisitExpr(op->a);
    return tvm::tirx::And(a, Under(a, op->b), op->span);
  }

  PrimExpr VisitExpr_(const OrNode* op) final {
    if (op->dtype.lanes() != 1) return ExprMutator::VisitExpr_(op);
    const PrimExpr a = VisitExpr(op->a);
    return tvm::tirx::Or(a, Under(tvm::tirx::Not(a), op->b), op->span);
  }

  // The variable moves in front together with what reads it.
  PrimExpr VisitExpr_(const LetNode* op) final {
    const PrimExpr held = Bound(VisitExpr(op->value));
    return VisitExpr(Substitute(op->body, tvm::ffi::Map<Var, PrimExpr>{{op->var, held}}));
  }

  std::string name_;
  tvm::Span span_;
  tvm::ffi::Array<Stmt>* prologue_;
  std::vector<PrimExpr> path_;  // what holds where the present operand is evaluated
};

}  // namespace

PrimExpr BindScalars(const PrimExpr& e, const std::string& name, const tvm::Span& span,
                     tvm::ffi::Array<Stmt>* prologue) {
  return Binder(name, span, prologue)(e);
}

}  // namespace tileguard

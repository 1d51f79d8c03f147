// The part of the walk that visits expressions, in evaluation order.
#include <tvm/ir/op.h>
#include <tvm/tirx/op.h>

#include <utility>

#include "pointer_ops.h"
#include "walker.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

}  // namespace

void Walker::KnowCondition(const PrimExpr& condition, bool holds) {
  if (condition.dtype().lanes() != 1) return;
  converter_.TakeWraps();
  const Formula formula = converter_.Bool(condition);
  Know(holds ? formula : Not(formula));
  // The host would take it for what it says of unbounded integers.
  if (converter_.TakeWraps()) return;
  const PrimExpr frozen = recorder_.Frozen(holds ? condition : PrimExpr(tvm::tirx::Not(condition)));
  place_.frozen_facts = std::make_shared<const FrozenFact>(FrozenFact{frozen, place_.frozen_facts});
}

void Walker::VisitUnder(const PrimExpr& condition, bool holds, const PrimExpr& e) {
  const Known outer = Save();
  KnowCondition(condition, holds);
  VisitExpr(e);
  Restore(outer);
}

void Walker::VisitExpr_(const AndNode* op) {
  VisitExpr(op->a);
  VisitUnder(op->a, true, op->b);
}

void Walker::VisitExpr_(const OrNode* op) {
  VisitExpr(op->a);
  VisitUnder(op->a, false, op->b);
}

void Walker::VisitExpr_(const LetNode* op) {
  VisitExpr(op->value);
  BindValue(op->var.get(), op->value);
  VisitExpr(op->body);
}

void Walker::VisitExpr_(const BufferLoadNode* op) {
  const int visit = CountVisit(op);
  for (const PrimExpr& index : op->indices) VisitExpr(index);
  const Known outer = Save();
  if (op->predicate) {
    VisitExpr(op->predicate.value());
    KnowCondition(op->predicate.value(), true);
  }
  recorder_.Element(op, visit, AccessKind::kLoad, op->buffer, op->indices, 1, place_);
  Restore(outer);
}

void Walker::VisitExpr_(const CallNode* op) {
  const std::string name = OpName(op);
  if (name == "tirx.if_then_else") {
    VisitExpr(op->args[0]);
    OnCondition(op, CountVisit(op), op->args[0]);
    VisitUnder(op->args[0], true, op->args[1]);
    VisitUnder(op->args[0], false, op->args[2]);
    return;
  }
  VisitPointerCall(op, name);
}

}  // namespace tileguard

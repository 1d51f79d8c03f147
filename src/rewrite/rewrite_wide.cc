// Accesses that touch several elements at once: what happens when only some of them are inside.
#include <tvm/ir/op.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>

#include <utility>

#include "../extract/pointer_ops.h"
#include "rewriter.h"
#include "words.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

int ElementsPerAccess(const AccessSite& site, int bytes) {
  return bytes * 8 / (site.buffer->dtype.bits() * site.buffer->dtype.lanes());
}

}  // namespace

BufferLoad Rewriter::Element(const Target& target, int e) const {
  const AccessSite& site = Site(target.id);
  if (site.flattened) {
    const PrimExpr flat = target.indices[0] + tvm::IntImm(target.indices[0].dtype(), e);
    return BufferLoad(site.buffer, Unflatten(site.buffer, flat));
  }
  Indices indices = target.indices;
  const auto last = static_cast<int64_t>(indices.size()) - 1;
  if (e > 0) indices.Set(last, indices[last] + tvm::IntImm(indices[last].dtype(), e));
  return BufferLoad(site.buffer, indices);
}

bool Rewriter::AllOrNothing(int id) const {
  return !Site(id).flattened && DecisionOn(id).LanesAgree();
}

PrimExpr Rewriter::ElementCondition(const Target& target, int e, bool alone) const {
  if (!NeedsGuard(target.id)) return PrimExpr();
  return BuildLaneCondition(Site(target.id), DecisionOn(target.id), target.indices, e, alone);
}

PrimExpr Rewriter::ElementOrSafe(const Target& target, int e, bool alone) const {
  const BufferLoad element = Element(target, e);
  const PrimExpr inside = ElementCondition(target, e, alone);
  if (!inside.defined()) return element;
  const PrimExpr safe = safe_values_.Of(element->buffer, element.dtype());
  return is_zero(inside) ? safe : tvm::if_then_else(inside, element, safe);
}

// One vector access where all of it is inside; the words put together from single elements
// elsewhere.
PrimExpr Rewriter::GuardedWideLoad(const PointerCall& rewritten) {
  const Call& call = rewritten.call;
  const Target& target = rewritten.targets[0];
  const int bytes = LookUpPointerOp(OpName(call.get())).bytes;
  const int count = ElementsPerAccess(Site(target.id), bytes);
  std::vector<PrimExpr> elements;
  for (int e = 0; e < count; ++e) {
    const BufferLoad place = Element(target, e);
    elements.push_back(AllOrNothing(target.id) ? safe_values_.Of(place->buffer, place.dtype())
                                               : ElementOrSafe(target, e, true));
  }
  PrimExpr partial = count > 0 ? PackWords(elements, call->dtype) : PrimExpr();
  if (!partial.defined()) partial = tvm::tirx::make_zero(call->dtype);
  PrimExpr value = tvm::if_then_else(rewritten.condition, call, partial, call->span);
  if (call->args.size() < 2) return value;
  // The op's own predicate, when the author gave one, means "else zero".
  return tvm::if_then_else(call->args[1], value, tvm::tirx::make_zero(call->dtype), call->span);
}

Stmt Rewriter::GuardedWideStore(const PointerCall& rewritten, const EvaluateNode* op) {
  const Call& call = rewritten.call;
  const Target& target = rewritten.targets[0];
  const tvm::DataType element = Site(target.id).buffer->dtype;
  const int count = ElementsPerAccess(Site(target.id), LookUpPointerOp(OpName(call.get())).bytes);
  Var words("words", call->args[1].dtype());
  prologue_->push_back(tvm::tirx::Bind(words, call->args[1], op->span));
  tvm::ffi::Array<PrimExpr> args = call->args;
  args.Set(1, words);
  const Stmt whole =
      tvm::tirx::Evaluate(Call(call->dtype, call->op, args, call->annotations, call->span));
  tvm::ffi::Array<Stmt> parts;
  for (int e = 0; e < count && !AllOrNothing(target.id); ++e) {
    const PrimExpr value = UnpackWord(words, e, element);
    if (!value.defined()) break;
    const BufferLoad place = Element(target, e);
    PrimExpr inside = ElementCondition(target, e, true);
    if (is_zero(inside)) continue;
    if (call->args.size() > 2) inside = tvm::tirx::And(call->args[2], inside);
    parts.push_back(
        IfThenElse(inside, BufferStore(place->buffer, value, place->indices), std::nullopt));
  }
  tvm::ffi::Optional<Stmt> ragged;
  if (!parts.empty()) ragged = SeqStmt::Flatten(parts);
  return IfThenElse(rewritten.condition, whole, ragged, op->span);
}

// A vector atomic some of whose elements may be inside alone.
bool Rewriter::TakesApart(const PointerCall& rewritten) const {
  return rewritten.targets.size() == 2 && Site(rewritten.targets[0].id).elements > 1 &&
         (NeedsGuard(rewritten.targets[1].id) || !AllOrNothing(rewritten.targets[0].id));
}

// `op` on element `e`; a source element outside adds the safe value.
tvm::tirx::Call Rewriter::ElementAtomic(const PointerCall& rewritten, int e, const tvm::Op& op,
                                        const tvm::DataType& returns, bool alone) {
  static const tvm::Op pointer = tvm::Op::Get("tl.access_ptr");
  constexpr int kReadWrite = 3;
  const tvm::DataType int32 = tvm::DataType::Int(32);
  const Call address(
      tvm::DataType::Handle(), pointer,
      {Element(rewritten.targets[0], e), tvm::IntImm(int32, 1), tvm::IntImm(int32, kReadWrite)});
  return Call(returns, op, {address, ElementOrSafe(rewritten.targets[1], e, alone)},
              rewritten.call->annotations, rewritten.call->span);
}

// A vector atomic that is partly outside becomes one atomic an element.
Stmt Rewriter::ElementAtomics(const PointerCall& rewritten) {
  const Target& to = rewritten.targets[0];
  static const tvm::Op one = tvm::Op::Get("tl.atomic_add_elem_op");
  const bool alone = !NeedsGuard(to.id) || !NeedsGuard(rewritten.targets[1].id);
  tvm::ffi::Array<Stmt> parts;
  for (int e = 0; e < Site(to.id).elements; ++e) {
    const PrimExpr inside = ElementCondition(to, e, alone);
    if (inside.defined() && is_zero(inside)) continue;
    Stmt add =
        tvm::tirx::Evaluate(ElementAtomic(rewritten, e, one, tvm::DataType::Handle(), alone));
    parts.push_back(inside.defined() ? IfThenElse(inside, add, std::nullopt) : add);
  }
  return SeqStmt::Flatten(parts);
}

// The same where the values before are asked for; an element outside gives the safe value.
PrimExpr Rewriter::ElementAtomicsReturning(const PointerCall& rewritten) {
  const Call& call = rewritten.call;
  const Target& to = rewritten.targets[0];
  static const tvm::Op one = tvm::Op::Get("tl.atomic_add_ret_elem_op");
  const bool alone = !NeedsGuard(to.id) || !NeedsGuard(rewritten.targets[1].id);
  const tvm::DataType element = call->dtype.element_of();
  const PrimExpr safe = safe_values_.Of(Site(to.id).buffer, element);
  tvm::ffi::Array<PrimExpr> lanes;
  tvm::ffi::Array<PrimExpr> order;
  for (int e = 0; e < call->dtype.lanes(); ++e) {
    const PrimExpr inside = ElementCondition(to, e, alone);
    PrimExpr before = ElementAtomic(rewritten, e, one, element, alone);
    if (inside.defined()) {
      before = is_zero(inside) ? safe : tvm::if_then_else(inside, before, safe);
    }
    lanes.push_back(before);
    order.push_back(tvm::IntImm(tvm::DataType::Int(32), e));
  }
  return tvm::if_then_else(rewritten.condition, call, Shuffle(lanes, order), call->span);
}

}  // namespace tileguard

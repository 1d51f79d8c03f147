// Calls that get pointers: how their arguments are rewritten and where their guard goes.
#include <tvm/ir/op.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>

#include <utility>

#include "../extract/memory_state.h"
#include "../extract/pointer_ops.h"
#include "../extract/recorder.h"
#include "../extract/simplify.h"
#include "copy_elements.h"
#include "rewriter.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

bool IsPointer(const PrimExpr& e) {
  const auto* call = e.as<CallNode>();
  return call != nullptr && LookUpPointerOp(OpName(call)).use == PointerUse::kMetadata;
}

// A zero of any type, lanes included.
bool IsZero(const PrimExpr& e) {
  if (const auto* imm = e.as<tvm::IntImmNode>()) return imm->value == 0;
  if (const auto* imm = e.as<tvm::FloatImmNode>()) return imm->value == 0;
  if (const auto* cast = e.as<CastNode>()) return IsZero(cast->value);
  if (const auto* broadcast = e.as<BroadcastNode>()) return IsZero(broadcast->value);
  return false;
}

}  // namespace

// Only the accesses inside the address are rewritten; the element itself is not read here.
PrimExpr Rewriter::RewritePointer(const PrimExpr& pointer) {
  if (!IsPointer(pointer)) return VisitExpr(pointer);
  const auto* call = pointer.as<CallNode>();
  tvm::ffi::Array<PrimExpr> args;
  bool changed = false;
  for (size_t i = 0; i < call->args.size(); ++i) {
    const auto* base = i == 0 ? call->args[0].as<BufferLoadNode>() : nullptr;
    if (base == nullptr) {
      args.push_back(VisitExpr(call->args[i]));
    } else {
      const Indices indices = VisitIndices(base->indices);
      args.push_back(indices.same_as(base->indices)
                         ? call->args[0]
                         : BufferLoad(base->buffer, indices, base->predicate, base->span));
    }
    changed = changed || !args.back().same_as(call->args[i]);
  }
  if (!changed) return pointer;
  return Call(call->dtype, call->op, args, call->annotations, call->span);
}

// Where a rewritten pointer of site `id` points. An index that may be evaluated only once is bound
// here.
Rewriter::Target Rewriter::RewriteTarget(int id, size_t arg, PrimExpr* pointer, Prologue* binds) {
  const AccessSite& site = Site(id);
  const auto* call = pointer->as<CallNode>();
  Target target{id, arg, site.indices};
  if (site.flattened) {
    const auto* element = call->args[0].as<BufferLoadNode>();
    const PrimExpr first =
        Widened(element != nullptr ? FlatOffset(element->buffer, element->indices) : call->args[2]);
    target.indices = {first};
    if (site.indices.size() > 1) {
      target.indices.push_back(first + (site.count - tvm::IntImm(tvm::DataType::Int(64), 1)));
    }
    return target;
  }
  const auto* base = call->args[0].as<BufferLoadNode>();
  target.indices = base->indices;
  if (!NeedsGuard(id)) return target;
  target.indices = BindOnce(site, base->indices, BindsTo(binds));
  if (!target.indices.same_as(base->indices)) {
    tvm::ffi::Array<PrimExpr> args = call->args;
    args.Set(0, BufferLoad(base->buffer, target.indices, base->predicate, base->span));
    *pointer = Call(call->dtype, call->op, args, call->annotations, call->span);
  }
  return target;
}

// In the order of the walk: the op's own predicate, the pointers, the other arguments.
Rewriter::PointerCall Rewriter::RewritePointerCall(const CallNode* op, bool statement) {
  const std::vector<int>& sites = SitesAt(op, CountVisit(op));
  const size_t predicate = PredicateArgument(LookUpPointerOp(OpName(op)).use);
  std::vector<PrimExpr> args(op->args.begin(), op->args.end());
  if (predicate < args.size()) args[predicate] = VisitExpr(args[predicate]);
  PointerCall out;
  size_t next_site = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!IsPointer(op->args[i])) continue;
    args[i] = RewritePointer(args[i]);
    // Sites follow the pointers in order; a pointer into a scope that is not asked for has none.
    if (next_site >= sites.size() || Site(sites[next_site]).argument != static_cast<int>(i))
      continue;
    out.targets.push_back(RewriteTarget(sites[next_site++], i, &args[i], &out.binds));
    const Target& target = out.targets.back();
    if (!NeedsGuard(target.id)) continue;
    out.condition = Conjunction(
        out.condition, BuildCondition(Site(target.id), DecisionOn(target.id), target.indices));
  }
  // The other arguments were proved under the guard, so what they bind stays there: in front of the
  // guarded statement, or in the expression.
  const bool guarded = out.condition.defined();
  Prologue* outer = prologue_;
  if (guarded && statement) prologue_ = &out.inner;
  if (guarded && !statement) ++lazy_depth_;
  bool changed = false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!IsPointer(op->args[i]) && i < predicate) args[i] = VisitExpr(args[i]);
    changed = changed || !args[i].same_as(op->args[i]);
  }
  if (guarded && !statement) --lazy_depth_;
  prologue_ = outer;
  out.call = changed ? Call(op->dtype, op->op, tvm::ffi::Array<PrimExpr>(args.begin(), args.end()),
                            op->annotations, op->span)
                     : tvm::ffi::GetRef<Call>(op);
  return out;
}

// A tile operation is lowered, and guarded, later: only accesses inside its indices are ours.
PrimExpr Rewriter::RewriteTileOp(const CallNode* op) {
  tvm::ffi::Array<PrimExpr> args;
  bool changed = false;
  for (const PrimExpr& arg : op->args) {
    const auto* base = arg.as<BufferLoadNode>();
    if (base == nullptr) {
      args.push_back(VisitExpr(arg));
    } else {
      const Indices indices = VisitIndices(base->indices);
      args.push_back(indices.same_as(base->indices)
                         ? arg
                         : BufferLoad(base->buffer, indices, base->predicate, base->span));
    }
    changed = changed || !args.back().same_as(arg);
  }
  if (!changed) return tvm::ffi::GetRef<PrimExpr>(op);
  return Call(op->dtype, op->op, args, op->annotations, op->span);
}

// __ldg takes the load itself: the guard goes around the call, never into its operand.
PrimExpr Rewriter::RewriteReadOnlyLoad(const CallNode* op) {
  const std::vector<int>& sites = SitesAt(op, CountVisit(op));
  const auto* base = op->args[0].as<BufferLoadNode>();
  if (base == nullptr) return tvm::ffi::GetRef<PrimExpr>(op);
  Indices indices = VisitIndices(base->indices);
  const bool guard = !sites.empty() && NeedsGuard(sites[0]);
  Prologue binds;
  if (guard) indices = BindOnce(Site(sites[0]), indices, BindsTo(&binds));
  PrimExpr call = tvm::ffi::GetRef<PrimExpr>(op);
  if (!indices.same_as(base->indices)) {
    tvm::ffi::Array<PrimExpr> args = op->args;
    args.Set(0, BufferLoad(base->buffer, indices, base->predicate, base->span));
    call = Call(op->dtype, op->op, args, op->annotations, op->span);
  }
  if (!guard) return call;
  return WithLets(
      binds, tvm::if_then_else(BuildCondition(Site(sites[0]), DecisionOn(sites[0]), indices), call,
                               safe_values_.Of(base->buffer, op->dtype), op->span));
}

PrimExpr Rewriter::GuardedCall(const PointerCall& rewritten) {
  const Call& call = rewritten.call;
  const Buffer& buffer = Site(rewritten.targets[0].id).buffer;
  return tvm::if_then_else(Simplified(rewritten.condition), call,
                           safe_values_.Of(buffer, call->dtype), call->span);
}

PrimExpr Rewriter::VisitExpr_(const CallNode* op) {
  const std::string name = OpName(op);
  if (name == "tirx.if_then_else") {
    PrimExpr condition = VisitExpr(op->args[0]);
    PrimExpr yes = VisitLazily(op->args[1]);
    PrimExpr no = VisitLazily(op->args[2]);
    if (condition.same_as(op->args[0]) && yes.same_as(op->args[1]) && no.same_as(op->args[2])) {
      return tvm::ffi::GetRef<PrimExpr>(op);
    }
    return Call(op->dtype, op->op, {condition, yes, no}, op->annotations, op->span);
  }
  const PointerUse use = LookUpPointerOp(name).use;
  if (use == PointerUse::kMetadata) return RewritePointer(tvm::ffi::GetRef<PrimExpr>(op));
  if (use == PointerUse::kTileOp) return RewriteTileOp(op);
  if (use == PointerUse::kReadOnly) return RewriteReadOnlyLoad(op);
  const PointerCall rewritten = RewritePointerCall(op, false);
  if (!rewritten.condition.defined()) return rewritten.call;
  PrimExpr value = rewritten.call;
  if (use == PointerUse::kLoadWide) {
    value = GuardedWideLoad(rewritten);
  } else if (use == PointerUse::kAtomic && op->dtype.lanes() > 1 && TakesApart(rewritten)) {
    value = ElementAtomicsReturning(rewritten);
  } else if (!op->dtype.is_void() && !op->dtype.is_handle()) {
    value = GuardedCall(rewritten);
  }
  return WithLets(rewritten.binds, value);
}

Stmt Rewriter::VisitStmt_(const EvaluateNode* op) {
  const auto* call = op->value.as<CallNode>();
  const PointerUse use =
      call == nullptr ? PointerUse::kArithmetic : LookUpPointerOp(OpName(call)).use;
  const bool statement = use == PointerUse::kAtomic || use == PointerUse::kCall ||
                         use == PointerUse::kCopyAsync || use == PointerUse::kStoreWide;
  if (!statement || OpName(call) == "tirx.if_then_else") return StmtExprMutator::VisitStmt_(op);
  const PointerCall rewritten = RewritePointerCall(call, use != PointerUse::kStoreWide);
  Stmt out = rewritten.call.same_as(op->value) ? tvm::ffi::GetRef<Stmt>(op)
                                               : tvm::tirx::Evaluate(rewritten.call, op->span);
  if (!rewritten.condition.defined()) return out;
  if (use == PointerUse::kCopyAsync) return RewriteCopyAsync(rewritten, op);
  if (use == PointerUse::kStoreWide) return GuardedWideStore(rewritten, op);
  tvm::ffi::Optional<Stmt> otherwise;
  if (use == PointerUse::kAtomic && TakesApart(rewritten)) otherwise = ElementAtomics(rewritten);
  return IfThenElse(rewritten.condition, WithPrologue(rewritten.inner, out), otherwise, op->span);
}

// The predicate of cp.async fills with zeros where it is false. Any other safe value, and a
// transfer that is partly inside, is stored element by element instead; the thread sees its own
// stores at once. So is one whose target is guarded: no predicate keeps it from being written.
Stmt Rewriter::RewriteCopyAsync(const PointerCall& rewritten, const EvaluateNode* op) {
  const Call& copy = rewritten.call;
  const Target& source = rewritten.targets.back();
  const Target* target = rewritten.targets.size() == 2 ? &rewritten.targets.front() : nullptr;
  if (target != nullptr && !NeedsGuard(target->id)) target = nullptr;
  const bool guarded = NeedsGuard(source.id);
  const AccessSite& site = Site(source.id);
  const Decision& decision = DecisionOn(source.id);
  const bool ragged = guarded && site.elements > 1 && !decision.LanesAgree();
  const PrimExpr safe = safe_values_.Of(site.buffer, ScalarOf(site.buffer->dtype));
  const PrimExpr own = Simplified(BuildCondition(site, decision, source.indices));
  if (!ragged && IsZero(safe) && target == nullptr) {
    const PrimExpr predicate =
        copy->args.size() > 3 ? PrimExpr(tvm::tirx::And(copy->args[3], own)) : own;
    return tvm::tirx::Evaluate(
        Call(copy->dtype, copy->op, {copy->args[0], copy->args[1], copy->args[2], predicate},
             copy->annotations, copy->span),
        op->span);
  }
  const bool alone = target == nullptr || !guarded;
  auto value = [&](int e, const BufferLoad&) {
    const bool outside = guarded && decision.LanesAgree() && alone;
    PrimExpr element = outside ? safe : ElementOrSafe(source, e, alone);
    if (copy->args.size() > 3) {
      element = tvm::if_then_else(copy->args[3], element, tvm::tirx::make_zero(safe.dtype()));
    }
    return element;
  };
  auto stored = [&](int e) {
    return target == nullptr ? PrimExpr() : ElementCondition(*target, e, alone);
  };
  return IfThenElse(ragged || target != nullptr ? rewritten.condition : own,
                    tvm::tirx::Evaluate(copy, op->span), StoreElements(copy, value, stored),
                    op->span);
}

}  // namespace tileguard

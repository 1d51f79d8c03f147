#include "rewriter.h"

#include <tvm/ir/op.h>
#include <tvm/tirx/analysis.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>

#include <utility>

#include "../extract/memory_state.h"
#include "../extract/pointer_ops.h"
#include "bind_scalars.h"
#include "fresh_copy.h"

namespace tileguard {

namespace {

using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

const std::vector<int> kNoSites;

}  // namespace

PrimFunc Rewriter::Run(PrimFunc func) {
  for (const Var& param : func->params) {
    if (auto buffer = func->buffer_map.Get(param)) safe_values_.Declare(buffer.value());
  }
  Stmt body = VisitStmt(func->body);
  if (body.same_as(func->body)) return func;
  func.CopyOnWrite()->body = std::move(body);
  return func;
}

const std::vector<int>& Rewriter::SitesAt(const tvm::ffi::Object* node, int visit) const {
  auto found = extraction_.by_place.find({node, visit});
  return found == extraction_.by_place.end() ? kNoSites : found->second;
}

bool Rewriter::NeedsGuard(int id) const {
  const auto index = static_cast<size_t>(id);
  return extraction_.sites[index].query.guardable && decisions_[index].NeedsGuard();
}

Stmt Rewriter::WithPrologue(const Prologue& prologue, Stmt stmt) {
  if (prologue.empty()) return stmt;
  Prologue all = prologue;
  all.push_back(std::move(stmt));
  return SeqStmt::Flatten(all);
}

Stmt Rewriter::VisitStmt(const Stmt& stmt) {
  Prologue own;
  Prologue* outer = std::exchange(prologue_, &own);
  const int outer_lazy = std::exchange(lazy_depth_, 0);
  Stmt out = StmtExprMutator::VisitStmt(stmt);
  prologue_ = outer;
  lazy_depth_ = outer_lazy;
  return WithPrologue(own, std::move(out));
}

Stmt Rewriter::VisitStmt_(const ForNode* op) {
  PrimExpr min = VisitExpr(op->min);
  PrimExpr extent = VisitExpr(op->extent);
  Stmt body = VisitStmt(op->body);
  if (min.same_as(op->min) && extent.same_as(op->extent) && body.same_as(op->body)) {
    return tvm::ffi::GetRef<Stmt>(op);
  }
  return For(op->loop_var, min, extent, op->kind, body, op->thread_binding, op->annotations,
             op->step, op->span);
}

// The condition is evaluated again and again: nothing can be bound in front of the loop for it.
Stmt Rewriter::VisitStmt_(const WhileNode* op) {
  Prologue* outer = std::exchange(prologue_, nullptr);
  PrimExpr condition = VisitExpr(op->condition);
  prologue_ = outer;
  Stmt body = VisitStmt(op->body);
  if (condition.same_as(op->condition) && body.same_as(op->body)) return tvm::ffi::GetRef<Stmt>(op);
  return While(condition, body, op->span);
}

// Regions and annotations of a block describe it; no access happens in them.
Stmt Rewriter::VisitStmt_(const SBlockNode* op) {
  SafeValues before = safe_values_.Enter(op);
  tvm::ffi::Optional<Stmt> init = op->init;
  if (init) init = VisitStmt(init.value());
  Stmt body = VisitStmt(op->body);
  safe_values_.Restore(std::move(before));
  if (body.same_as(op->body) && (!init || init.value().same_as(op->init.value()))) {
    return tvm::ffi::GetRef<Stmt>(op);
  }
  auto block = tvm::ffi::make_object<SBlockNode>(*op);
  block->init = std::move(init);
  block->body = std::move(body);
  return Stmt(std::move(block));
}

Stmt Rewriter::VisitStmt_(const AttrStmtNode* op) {
  // A fact stays as its author wrote it.
  if (op->attr_key == tvm::tirx::attr::tilelang_assume) {
    Stmt body = VisitStmt(op->body);
    if (body.same_as(op->body)) return tvm::ffi::GetRef<Stmt>(op);
    return AttrStmt(op->node, op->attr_key, op->value, body, op->span);
  }
  return StmtExprMutator::VisitStmt_(op);
}

tvm::PrimExpr Rewriter::VisitLazily(const PrimExpr& e) {
  ++lazy_depth_;
  PrimExpr out = VisitExpr(e);
  --lazy_depth_;
  return out;
}

tvm::PrimExpr Rewriter::VisitExpr_(const AndNode* op) {
  PrimExpr a = VisitExpr(op->a);
  PrimExpr b = VisitLazily(op->b);
  if (a.same_as(op->a) && b.same_as(op->b)) return tvm::ffi::GetRef<PrimExpr>(op);
  return tvm::tirx::And(a, b, op->span);
}

tvm::PrimExpr Rewriter::VisitExpr_(const OrNode* op) {
  PrimExpr a = VisitExpr(op->a);
  PrimExpr b = VisitLazily(op->b);
  if (a.same_as(op->a) && b.same_as(op->b)) return tvm::ffi::GetRef<PrimExpr>(op);
  return tvm::tirx::Or(a, b, op->span);
}

// What the body binds may stand on the variable: it stays inside.
tvm::PrimExpr Rewriter::VisitExpr_(const LetNode* op) {
  PrimExpr value = VisitExpr(op->value);
  PrimExpr body = VisitLazily(op->body);
  if (value.same_as(op->value) && body.same_as(op->body)) return tvm::ffi::GetRef<PrimExpr>(op);
  return Let(op->var, value, body, op->span);
}

Rewriter::Indices Rewriter::VisitIndices(const Indices& indices) {
  bool changed = false;
  Indices out;
  for (const PrimExpr& index : indices) {
    out.push_back(VisitExpr(index));
    changed = changed || !out.back().same_as(index);
  }
  return changed ? out : indices;
}

Rewriter::Indices Rewriter::BindOnce(const AccessSite& site, const Indices& indices,
                                     Prologue* prologue) {
  if (!site.index_must_be_bound) return indices;
  Indices out;
  for (const PrimExpr& index : indices) {
    out.push_back(BindScalars(index, std::string(site.buffer->name), site.span, prologue));
  }
  return out;
}

tvm::PrimExpr Rewriter::VisitExpr_(const BufferLoadNode* op) {
  const int visit = CountVisit(op);
  const Indices indices = VisitIndices(op->indices);
  tvm::ffi::Optional<PrimExpr> predicate = op->predicate;
  if (predicate) predicate = VisitExpr(predicate.value());
  BufferLoad load = tvm::ffi::GetRef<BufferLoad>(op);
  if (!indices.same_as(op->indices) || !predicate.same_as(op->predicate)) {
    load = BufferLoad(op->buffer, indices, predicate, op->span);
  }
  const std::vector<int>& sites = SitesAt(op, visit);
  if (sites.empty() || !NeedsGuard(sites[0])) return load;
  return GuardedLoad(sites[0], load);
}

tvm::PrimExpr Rewriter::GuardedLoad(int id, BufferLoad load) {
  const AccessSite& site = extraction_.sites[static_cast<size_t>(id)];
  const Decision& decision = decisions_[static_cast<size_t>(id)];
  const PrimExpr safe = safe_values_.Of(load->buffer, load.dtype());
  if (assumed_inside_.count(id) != 0) return load;
  if (assumed_outside_.count(id) != 0) return safe;
  Prologue binds;
  const Indices indices = AddressIndices(site, decision, BindOnce(site, load->indices, &binds));
  if (!indices.same_as(load->indices)) {
    load = BufferLoad(load->buffer, indices, load->predicate, load->span);
  }
  if (decision.verdict == Verdict::kOutOfBounds && binds.empty()) return safe;
  PrimExpr value;
  if (site.vector_lanes > 1 && !decision.LanesAgree()) {
    value = RaggedLoad(site, decision, load, safe);
  } else {
    const PrimExpr condition = BuildCondition(site, decision, indices);
    if (eager_ != nullptr && lazy_depth_ == 0 && binds.empty()) eager_->push_back({id, condition});
    value = tvm::if_then_else(condition, load, safe, load->span);
  }
  if (prologue_ != nullptr && lazy_depth_ == 0) {
    for (const Stmt& bind : binds) prologue_->push_back(bind);
    return value;
  }
  return WithLets(binds, value);
}

// Where a statement in front would be evaluated too early or too seldom, a variable lives in the
// expression.
tvm::PrimExpr Rewriter::WithLets(const Prologue& binds, PrimExpr value) {
  for (size_t i = binds.size(); i-- > 0;) {
    const auto* bind = binds[i].as<BindNode>();
    value = Let(bind->var, bind->value, value);
  }
  return value;
}

// Full vectors stay one access; in the ragged one each lane is tested alone.
tvm::PrimExpr Rewriter::RaggedLoad(const AccessSite& site, const Decision& decision,
                                   const BufferLoad& load, const PrimExpr& safe) {
  tvm::ffi::Array<PrimExpr> lanes;
  tvm::ffi::Array<PrimExpr> order;
  tvm::ffi::Array<PrimExpr> by_itself;
  for (int lane = 0; lane < site.vector_lanes; ++lane) {
    auto guarded = [&](bool full_failed) -> PrimExpr {
      const PrimExpr inside = BuildLaneCondition(site, decision, load->indices, lane, full_failed);
      if (is_zero(inside)) return LaneOf(safe, lane);
      return tvm::if_then_else(inside, LaneOf(load, lane), LaneOf(safe, lane));
    };
    lanes.push_back(guarded(true));
    by_itself.push_back(guarded(false));
    order.push_back(tvm::IntImm(tvm::DataType::Int(32), lane));
  }
  PrimExpr out = tvm::if_then_else(BuildCondition(site, decision, load->indices), load,
                                   Shuffle(lanes, order), load->span);
  ragged_loads_.emplace(out, by_itself);
  return out;
}

// The effects happen whether or not the store does: value first, then the indices, then the test.
Stmt Rewriter::StoreWithEffect(const BufferStoreNode* op, int visit) {
  tvm::ffi::Optional<PrimExpr> predicate = op->predicate;
  if (predicate) predicate = VisitExpr(predicate.value());
  PrimExpr value = VisitExpr(op->value);
  const size_t here = prologue_->size();
  Indices indices = VisitIndices(op->indices);
  const std::vector<int>& sites = SitesAt(op, visit);
  const bool guarded = !sites.empty() && NeedsGuard(sites[0]);
  if (guarded || prologue_->size() != here) {
    const Var held(std::string(op->buffer->name) + "_value", value.dtype());
    prologue_->insert(prologue_->begin() + static_cast<std::ptrdiff_t>(here),
                      tvm::tirx::Bind(held, value, op->span));
    value = held;
  }
  if (!guarded) {
    const bool same = value.same_as(op->value) && indices.same_as(op->indices) &&
                      predicate.same_as(op->predicate);
    return same ? tvm::ffi::GetRef<BufferStore>(op)
                : BufferStore(op->buffer, value, indices, predicate, op->span);
  }
  const AccessSite& site = Site(sites[0]);
  const Decision& decision = DecisionOn(sites[0]);
  indices = AddressIndices(site, decision, BindOnce(site, indices, prologue_));
  return GuardedStore(site, decision, BufferStore(op->buffer, value, indices, predicate, op->span));
}

Stmt Rewriter::GuardedStore(const AccessSite& site, const Decision& decision,
                            const BufferStore& store) {
  if (site.vector_lanes > 1 && !decision.LanesAgree()) {
    return RaggedStore(site, decision, store, {});
  }
  return IfThenElse(BuildCondition(site, decision, store->indices), store, std::nullopt,
                    store->span);
}

Stmt Rewriter::VisitStmt_(const BufferStoreNode* op) {
  const int visit = CountVisit(op);
  if (StoreHasEffect(op)) return StoreWithEffect(op, visit);
  const Indices visited = VisitIndices(op->indices);
  const std::vector<int>& sites = SitesAt(op, visit);
  const bool guarded = !sites.empty() && NeedsGuard(sites[0]);
  if (!guarded) return StoreWithSharedTest(op, visited);
  const AccessSite& site = extraction_.sites[static_cast<size_t>(sites[0])];
  const Decision& decision = decisions_[static_cast<size_t>(sites[0])];
  if (ValueGoesFirst(op)) {
    tvm::ffi::Optional<PrimExpr> predicate = op->predicate;
    if (predicate) predicate = VisitExpr(predicate.value());
    const PrimExpr value = VisitExpr(op->value);
    const Var held(std::string(op->buffer->name) + "_value", value.dtype());
    prologue_->push_back(tvm::tirx::Bind(held, value, op->span));
    const Indices indices = AddressIndices(site, decision, BindOnce(site, visited, prologue_));
    return GuardedStore(site, decision,
                        BufferStore(op->buffer, held, indices, predicate, op->span));
  }
  const Indices indices = AddressIndices(site, decision, BindOnce(site, visited, prologue_));
  // What the right-hand side binds stays under the guard: its own loads were proved there.
  Prologue inner;
  Prologue* outer = std::exchange(prologue_, &inner);
  const bool ragged = site.vector_lanes > 1 && !decision.LanesAgree();
  Stmt store;
  if (ragged) {
    tvm::ffi::Optional<PrimExpr> predicate = op->predicate;
    if (predicate) predicate = VisitExpr(predicate.value());
    const PrimExpr value = VisitExpr(op->value);
    store = RaggedStore(site, decision,
                        BufferStore(op->buffer, value, indices, predicate, op->span), inner);
  } else {
    store = StoreWithSharedTest(op, indices);
  }
  prologue_ = outer;
  if (decision.verdict == Verdict::kOutOfBounds) return tvm::tirx::Evaluate(0);
  if (ragged) return store;
  const PrimExpr condition = BuildCondition(site, decision, indices);
  return IfThenElse(condition, WithPrologue(inner, store), std::nullopt, op->span);
}

// When two or more loads that are always evaluated wait on the same test, the statement branches
// once.
Stmt Rewriter::StoreWithSharedTest(const BufferStoreNode* op, const Indices& indices) {
  tvm::ffi::Optional<PrimExpr> predicate = op->predicate;
  if (predicate) predicate = VisitExpr(predicate.value());
  const auto visits = visits_;
  std::vector<EagerLoad> eager;
  std::vector<EagerLoad>* outer = std::exchange(eager_, &eager);
  const size_t bound_before = prologue_->size();
  PrimExpr value = VisitExpr(op->value);
  eager_ = outer;
  auto store = [&](const PrimExpr& v) {
    if (v.same_as(op->value) && indices.same_as(op->indices) && predicate.same_as(op->predicate)) {
      return tvm::ffi::GetRef<BufferStore>(op);
    }
    return BufferStore(op->buffer, v, indices, predicate, op->span);
  };
  std::unordered_set<int> sharing;
  PrimExpr condition;
  const tvm::tirx::ExprDeepEqual equal;
  for (const EagerLoad& candidate : eager) {
    std::unordered_set<int> same;
    for (const EagerLoad& other : eager) {
      if (equal(candidate.condition, other.condition)) same.insert(other.id);
    }
    if (same.size() > sharing.size()) {
      sharing = std::move(same);
      condition = candidate.condition;
    }
  }
  const bool split = sharing.size() > 1 && IsPure(op->value) && prologue_->size() == bound_before;
  if (!split) return store(value);
  auto visit_assuming = [&](std::unordered_set<int>* assumed) {
    visits_ = visits;
    std::unordered_set<int> before = *assumed;
    assumed->insert(sharing.begin(), sharing.end());
    PrimExpr out = VisitExpr(op->value);
    *assumed = std::move(before);
    return store(out);
  };
  const Stmt inside = visit_assuming(&assumed_inside_);
  const Stmt outside = visit_assuming(&assumed_outside_);
  return IfThenElse(condition, inside, outside, op->span);
}

Stmt Rewriter::RaggedStore(const AccessSite& site, const Decision& decision,
                           const BufferStore& store, const Prologue& binds) {
  tvm::ffi::Array<Stmt> lanes;
  for (int lane = 0; lane < site.vector_lanes; ++lane) {
    Indices scalar;
    for (const PrimExpr& index : store->indices) scalar.push_back(LaneOf(index, lane));
    const PrimExpr inside = BuildLaneCondition(site, decision, store->indices, lane);
    if (is_zero(inside)) continue;
    const BufferStore one(store->buffer, LaneOf(store->value, lane, &ragged_loads_), scalar,
                          store->predicate, store->span);
    // Each lane evaluates for itself what the whole vector binds once.
    lanes.push_back(
        IfThenElse(inside, FreshCopy(WithPrologue(binds, one)), std::nullopt, store->span));
  }
  tvm::ffi::Optional<Stmt> otherwise;
  if (!lanes.empty()) otherwise = SeqStmt::Flatten(lanes);
  return IfThenElse(BuildCondition(site, decision, store->indices), WithPrologue(binds, store),
                    otherwise, store->span);
}

}  // namespace tileguard

#include "vector_tails.h"

#include <tvm/ir/op.h>
#include <tvm/tirx/analysis.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "../extract/lane_conditions.h"
#include "../extract/pointer_ops.h"
#include "../extract/simplify.h"
#include "../guard/lanes.h"
#include "copy_elements.h"
#include "fresh_copy.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

// What is decided of one loop: new text for each conjunct, and the test for a full vector.
struct LoopPlan {
  std::map<SiteKey, std::vector<PrimExpr>> freed;  // conjuncts with uniform ones freed of the lane
  std::map<SiteKey, std::vector<bool>> ragged;     // conjuncts that the full-vector test makes true
  PrimExpr full;                                   // undefined: the loop is not split
  bool changes = false;
};

bool IsCopyAsync(const CallNode* call) {
  return LookUpPointerOp(OpName(call)).use == PointerUse::kCopyAsync;
}

// Only loads, arithmetic, stores and copies: nothing that must run in one piece.
// Does an iteration read what another writes? In a vector all lanes read first.
bool ReadsItsStores(const Stmt& body) {
  std::vector<const BufferStoreNode*> stores;
  PostOrderVisit(body, [&](const tvm::ffi::ObjectRef& object) {
    if (const auto* store = object.as<BufferStoreNode>()) stores.push_back(store);
  });
  bool reads = false;
  PostOrderVisit(body, [&](const tvm::ffi::ObjectRef& object) {
    const auto* load = object.as<BufferLoadNode>();
    if (load == nullptr) return;
    for (const BufferStoreNode* store : stores) {
      if (!store->buffer->data.same_as(load->buffer->data)) continue;
      bool same = store->indices.size() == load->indices.size();
      for (size_t d = 0; same && d < load->indices.size(); ++d) {
        same = ExprDeepEqual()(store->indices[d], load->indices[d]);
      }
      reads = reads || !same;
    }
  });
  return reads;
}

bool IsPlainBody(const Stmt& body) {
  bool plain = !ReadsItsStores(body);
  PostOrderVisit(body, [&](const tvm::ffi::ObjectRef& object) {
    if (object.as<ForNode>() != nullptr || object.as<WhileNode>() != nullptr) plain = false;
    const auto* evaluate = object.as<EvaluateNode>();
    if (evaluate == nullptr) return;
    const auto* call = evaluate->value.as<CallNode>();
    plain = plain && (call == nullptr ? IsPure(evaluate->value) : IsCopyAsync(call));
  });
  return plain;
}

bool HoldsCopyAsync(const Stmt& body) {
  bool holds = false;
  PostOrderVisit(body, [&](const tvm::ffi::ObjectRef& object) {
    const auto* call = object.as<CallNode>();
    holds = holds || (call != nullptr && IsCopyAsync(call));
  });
  return holds;
}

bool DefinedInside(const Stmt& body, const PrimExpr& e) {
  std::unordered_set<const VarNode*> bound;
  PostOrderVisit(body, [&](const tvm::ffi::ObjectRef& object) {
    if (const auto* bind = object.as<BindNode>()) bound.insert(bind->var.get());
    if (const auto* let = object.as<LetNode>()) bound.insert(let->var.get());
  });
  return UsesVar(e, [&](const VarNode* v) { return bound.count(v) != 0; });
}

class Planner {
 public:
  Planner(const LaneLoops& lanes, const Options& options)
      : lanes_(lanes),
        prover_(&lanes.symbols, static_cast<uint64_t>(options.budget_access),
                static_cast<uint64_t>(options.budget_searches)) {}

  LoopPlan Plan(const LaneLoop& loop, const Stmt& body);

 private:
  const LaneLoops& lanes_;
  Prover prover_;
};

LoopPlan Planner::Plan(const LaneLoop& loop, const Stmt& body) {
  std::vector<LaneQuestion> questions;
  for (const LaneCondition& condition : loop.conditions) {
    for (const LaneAtom& atom : condition.atoms) {
      questions.push_back({atom.each, atom.first, atom.last, atom.hoistable, condition.facts});
    }
  }
  const std::vector<LaneAnswer> answers = FreeLanes(questions, &prover_);
  auto at_lane = [&](const PrimExpr& e, LaneChoice lane) {
    const PrimExpr value = lane == LaneChoice::kFirst ? loop.first : loop.last;
    return Simplified(Substitute(e, tvm::ffi::Map<Var, PrimExpr>{{loop.var, value}}));
  };
  auto mentions = [&](const PrimExpr& e) {
    return UsesVar(e, [&](const VarNode* v) { return v == loop.var.get(); });
  };
  LoopPlan plan;
  std::vector<int> tests;
  std::vector<PrimExpr> exprs;
  bool splittable = IsPlainBody(body);
  for (const LaneCondition& condition : loop.conditions) {
    std::vector<PrimExpr>& freed = plan.freed[condition.owner];
    std::vector<bool>& ragged = plan.ragged[condition.owner];
    for (const LaneAtom& atom : condition.atoms) {
      const auto i = exprs.size();
      const bool lane_bound = mentions(atom.expr);
      const bool uniform = !lane_bound || answers[i].uniform;
      exprs.push_back(atom.expr);
      const PrimExpr free = lane_bound && uniform ? at_lane(atom.expr, answers[i].lane) : atom.expr;
      // A constant is no test of a whole vector but one that the tests around it have settled,
      // which is for the host to fold: here it would be found only once our own tests are in place.
      const bool folded = free.as<tvm::IntImmNode>() != nullptr;
      freed.push_back(folded ? atom.expr : free);
      ragged.push_back(!uniform);
      plan.changes = plan.changes || (lane_bound && uniform && !folded);
      if (uniform) continue;
      tests.push_back(static_cast<int>(i));
      splittable = splittable && atom.hoistable && answers[i].lane != LaneChoice::kEach &&
                   !DefinedInside(body, atom.expr);
    }
  }
  if (!splittable || tests.empty()) return plan;
  for (int i : SufficientTests(questions, answers, tests, &prover_)) {
    const auto index = static_cast<size_t>(i);
    const PrimExpr test = at_lane(exprs[index], answers[index].lane);
    plan.full = plan.full.defined() ? tvm::tirx::And(plan.full, test) : test;
    if (is_zero(test)) {
      // No vector is ever full.
      plan.full = PrimExpr();
      return plan;
    }
  }
  plan.changes = true;
  return plan;
}

// Rewrites one loop body by its plan. `full`: every ragged conjunct is known to hold.
class BodyRewriter : public StmtExprMutator {
 public:
  BodyRewriter(const LoopPlan& plan, const std::unordered_map<const tvm::ffi::Object*, int>& visits,
               bool full, bool serial)
      : plan_(plan), visits_(visits), full_(full), serial_(serial) {}

  using StmtExprMutator::VisitStmt;
  const std::unordered_map<const tvm::ffi::Object*, int>& visits() const { return visits_; }

 private:
  // The condition of `owner` by the plan; a defined Bool(true) when nothing of it is left.
  PrimExpr Condition(const tvm::ffi::Object* owner, int visit, const PrimExpr& condition) {
    auto found = plan_.freed.find({owner, visit});
    if (found == plan_.freed.end()) return condition;
    const std::vector<bool>& ragged = plan_.ragged.at({owner, visit});
    PrimExpr out;
    for (size_t i = 0; i < found->second.size(); ++i) {
      if (full_ && ragged[i]) continue;
      out = out.defined() ? tvm::tirx::And(out, found->second[i]) : found->second[i];
    }
    return out.defined() ? out : tvm::Bool(true);
  }

  Stmt VisitStmt_(const IfThenElseNode* op) final {
    PrimExpr tested = VisitExpr(op->condition);
    PrimExpr condition = Condition(op, visits_[op]++, tested);
    Stmt then_case = VisitStmt(op->then_case);
    tvm::ffi::Optional<Stmt> else_case = op->else_case;
    if (else_case) else_case = VisitStmt(else_case.value());
    if (is_one(condition) && !is_one(op->condition)) return then_case;
    return IfThenElse(condition, then_case, else_case, op->span);
  }

  Stmt VisitStmt_(const ForNode* op) final {
    ++visits_[op];
    return StmtExprMutator::VisitStmt_(op);
  }

  PrimExpr VisitExpr_(const CallNode* op) final {
    if (OpName(op) == "tirx.if_then_else") {
      PrimExpr tested = VisitExpr(op->args[0]);
      PrimExpr condition = Condition(op, visits_[op]++, tested);
      PrimExpr yes = VisitExpr(op->args[1]);
      PrimExpr no = VisitExpr(op->args[2]);
      if (is_one(condition) && !is_one(op->args[0])) return yes;
      return Call(op->dtype, op->op, {condition, yes, no}, op->annotations, op->span);
    }
    if (!IsCopyAsync(op)) return StmtExprMutator::VisitExpr_(op);
    const int visit = visits_[op]++;
    if (op->args.size() < 4) return StmtExprMutator::VisitExpr_(op);
    PrimExpr predicate = Condition(op, visit, VisitExpr(op->args[3]));
    tvm::ffi::Array<PrimExpr> args{VisitExpr(op->args[0]), VisitExpr(op->args[1]), op->args[2]};
    if (!is_one(predicate)) args.push_back(predicate);
    return Call(op->dtype, op->op, args, op->annotations, op->span);
  }

  Stmt VisitStmt_(const EvaluateNode* op) final {
    Stmt out = StmtExprMutator::VisitStmt_(op);
    if (!serial_) return out;
    const auto* evaluate = out.as<EvaluateNode>();
    const auto* call = evaluate == nullptr ? nullptr : evaluate->value.as<CallNode>();
    if (call == nullptr || !IsCopyAsync(call)) return out;
    return CopyElements(tvm::ffi::GetRef<Call>(call));
  }

  const LoopPlan& plan_;
  std::unordered_map<const tvm::ffi::Object*, int> visits_;
  bool full_;
  bool serial_;
};

class TailRewriter : public StmtExprMutator {
 public:
  TailRewriter(const LaneLoops& lanes, const Options& options, bool only_copies)
      : lanes_(lanes), planner_(lanes, options), only_copies_(only_copies) {}
  Stmt Run(const Stmt& body) { return VisitStmt(body); }

 private:
  Stmt VisitStmt_(const ForNode* op) final {
    const int visit = visits_[op]++;
    auto found = lanes_.loops.find({op, visit});
    if (found == lanes_.loops.end()) return StmtExprMutator::VisitStmt_(op);
    if (only_copies_ && !HoldsCopyAsync(op->body)) return StmtExprMutator::VisitStmt_(op);
    const LoopPlan plan = planner_.Plan(found->second, op->body);
    auto loop = [&](bool full, bool serial) -> Stmt {
      BodyRewriter body(plan, visits_, full, serial);
      Stmt rewritten = body.VisitStmt(op->body);
      next_visits_ = body.visits();
      if (serial) return For(op->loop_var, op->min, op->extent, ForKind::kSerial, rewritten);
      return For(op->loop_var, op->min, op->extent, op->kind, rewritten, op->thread_binding,
                 op->annotations, op->step, op->span);
    };
    Stmt out;
    if (!plan.full.defined()) {
      out = loop(false, false);
    } else {
      Stmt full = loop(true, false);
      Stmt tail = FreshCopy(loop(false, true));
      out = IfThenElse(plan.full, full, tail, op->span);
    }
    visits_ = next_visits_;
    return plan.changes ? out : tvm::ffi::GetRef<Stmt>(op);
  }

  // The walk counted every visit of an `if`; keep in step outside vectorized loops as well.
  Stmt VisitStmt_(const IfThenElseNode* op) final {
    ++visits_[op];
    return StmtExprMutator::VisitStmt_(op);
  }
  PrimExpr VisitExpr_(const CallNode* op) final {
    ++visits_[op];
    return StmtExprMutator::VisitExpr_(op);
  }
  Stmt VisitStmt_(const SBlockNode* op) final {
    tvm::ffi::Optional<Stmt> init = op->init;
    if (init) init = VisitStmt(init.value());
    Stmt body = VisitStmt(op->body);
    if (body.same_as(op->body) && init.same_as(op->init)) return tvm::ffi::GetRef<Stmt>(op);
    auto block = tvm::ffi::make_object<SBlockNode>(*op);
    block->init = std::move(init);
    block->body = std::move(body);
    return Stmt(std::move(block));
  }

  const LaneLoops& lanes_;
  Planner planner_;
  bool only_copies_;
  std::unordered_map<const tvm::ffi::Object*, int> visits_;
  std::unordered_map<const tvm::ffi::Object*, int> next_visits_;
};

}  // namespace

PrimFunc KeepVectors(const PrimFunc& func, const Options& options, bool only_copies) {
  const std::unique_ptr<LaneLoops> lanes = ExtractLaneLoops(func);
  if (lanes->loops.empty()) return func;
  Stmt body = TailRewriter(*lanes, options, only_copies).Run(func->body);
  if (body.same_as(func->body)) return func;
  PrimFunc out = func;
  out.CopyOnWrite()->body = std::move(body);
  return out;
}

}  // namespace tileguard

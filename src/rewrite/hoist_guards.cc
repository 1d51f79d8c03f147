#include "hoist_guards.h"

#include <tvm/ir/op.h>
#include <tvm/tirx/analysis.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../extract/lane_conditions.h"
#include "../extract/memory_state.h"
#include "../extract/pointer_ops.h"
#include "condition.h"
#include "fresh_copy.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

// Both copies of a loop are code: beyond this size one stays as it is.
constexpr int kMostNodes = 600;

bool Contains(const std::vector<PrimExpr>& list, const PrimExpr& e) {
  return std::any_of(list.begin(), list.end(),
                     [&](const PrimExpr& x) { return ExprDeepEqual()(x, e); });
}

bool DoesNothing(const Stmt& stmt) {
  bool nothing = true;
  PostOrderVisit(stmt, [&](const tvm::ffi::ObjectRef& object) {
    if (object.as<BufferStoreNode>() != nullptr || object.as<AssertStmtNode>() != nullptr)
      nothing = false;
    const auto* evaluate = object.as<EvaluateNode>();
    if (evaluate != nullptr && evaluate->value.as<tvm::IntImmNode>() == nullptr) nothing = false;
  });
  return nothing;
}

// What a loop body holds, gathered in one pass.
class LoopSurvey : public StmtExprVisitor {
 public:
  explicit LoopSurvey(const ForNode* loop) {
    defined_.insert(loop->loop_var.get());
    VisitStmt(loop->body);
  }

  bool may_split() const { return may_split_ && nodes_ <= kMostNodes; }
  // The invariant conjuncts of the first test that has any.
  std::vector<PrimExpr> InvariantPart() const {
    for (const PrimExpr& condition : conditions_) {
      std::vector<PrimExpr> part;
      for (const PrimExpr& atom : Conjuncts(condition)) {
        if (IsInvariant(atom)) part.push_back(atom);
      }
      if (!part.empty()) return part;
    }
    return {};
  }

 private:
  bool IsInvariant(const PrimExpr& e) const {
    const bool local = UsesVar(e, [this](const VarNode* var) { return defined_.count(var) != 0; });
    return !local && e.as<tvm::IntImmNode>() == nullptr && IsHoistable(e);
  }

  void CheckScope(const Buffer& buffer) {
    const std::string scope = buffer.scope();
    if (scope != "global" && scope.rfind("local", 0) != 0) may_split_ = false;
  }
  static bool ReadsGlobal(const PrimExpr& e) {
    bool reads = false;
    PostOrderVisit(e, [&](const tvm::ffi::ObjectRef& object) {
      const auto* load = object.as<BufferLoadNode>();
      reads = reads || (load != nullptr && std::string(load->buffer.scope()) == "global");
    });
    return reads;
  }

  void VisitStmt(const Stmt& stmt) final {
    ++nodes_;
    StmtExprVisitor::VisitStmt(stmt);
  }
  void VisitExpr(const PrimExpr& e) final {
    ++nodes_;
    StmtExprVisitor::VisitExpr(e);
  }
  void VisitStmt_(const ForNode* op) final {
    defined_.insert(op->loop_var.get());
    StmtExprVisitor::VisitStmt_(op);
  }
  void VisitStmt_(const BindNode* op) final {
    defined_.insert(op->var.get());
    StmtExprVisitor::VisitStmt_(op);
  }
  void VisitExpr_(const LetNode* op) final {
    defined_.insert(op->var.get());
    StmtExprVisitor::VisitExpr_(op);
  }
  void VisitStmt_(const SBlockNode* op) final {
    if (!op->alloc_buffers.empty() || !op->iter_vars.empty() || op->init) may_split_ = false;
    StmtExprVisitor::VisitStmt_(op);
  }
  void VisitStmt_(const AllocBufferNode*) final { may_split_ = false; }
  void VisitStmt_(const DeclBufferNode*) final { may_split_ = false; }
  void VisitStmt_(const WhileNode*) final { may_split_ = false; }
  void VisitStmt_(const AttrStmtNode*) final { may_split_ = false; }
  void VisitStmt_(const BufferStoreNode* op) final {
    CheckScope(op->buffer);
    StmtExprVisitor::VisitStmt_(op);
  }
  void VisitExpr_(const BufferLoadNode* op) final {
    CheckScope(op->buffer);
    StmtExprVisitor::VisitExpr_(op);
  }
  void VisitStmt_(const IfThenElseNode* op) final {
    // An `if` that only skips stores, and whose test is known to be free of effects.
    if (!op->else_case && !DoesNothing(op->then_case)) conditions_.push_back(op->condition);
    StmtExprVisitor::VisitStmt_(op);
  }
  void VisitExpr_(const CallNode* op) final {
    if (SideEffect(tvm::ffi::GetRef<Call>(op)) > CallEffectKind::kReadState) may_split_ = false;
    if (OpName(op) == "tirx.if_then_else" && ReadsGlobal(op->args[1]))
      conditions_.push_back(op->args[0]);
    StmtExprVisitor::VisitExpr_(op);
  }

  std::unordered_set<const VarNode*> defined_;
  std::vector<PrimExpr> conditions_;
  bool may_split_ = true;
  int nodes_ = 0;
};

// The body where every conjunct of `known` holds, or where their conjunction fails.
class Assume : public StmtExprMutator {
 public:
  Assume(const std::vector<PrimExpr>& known, bool holds) : known_(known), holds_(holds) {}
  Stmt Run(const Stmt& stmt) { return VisitStmt(stmt); }

 private:
  PrimExpr Reduce(const PrimExpr& condition) const {
    const std::vector<PrimExpr> parts = Conjuncts(condition);
    if (!holds_) {
      const bool fails = std::all_of(known_.begin(), known_.end(),
                                     [&](const PrimExpr& k) { return Contains(parts, k); });
      return fails ? tvm::Bool(false) : condition;
    }
    PrimExpr out;
    for (const PrimExpr& part : parts) {
      if (Contains(known_, part)) continue;
      out = Conjunction(out, part);
    }
    return out.defined() ? out : tvm::Bool(true);
  }

  Stmt VisitStmt_(const IfThenElseNode* op) final {
    const PrimExpr condition = Reduce(op->condition);
    if (!condition.same_as(op->condition) && is_one(condition)) return VisitStmt(op->then_case);
    if (!condition.same_as(op->condition) && is_zero(condition)) {
      return op->else_case ? VisitStmt(op->else_case.value()) : tvm::tirx::Evaluate(0);
    }
    tvm::ffi::Optional<Stmt> else_case = op->else_case;
    if (else_case) else_case = VisitStmt(else_case.value());
    return IfThenElse(VisitExpr(condition), VisitStmt(op->then_case), else_case, op->span);
  }

  PrimExpr VisitExpr_(const CallNode* op) final {
    if (OpName(op) != "tirx.if_then_else") return StmtExprMutator::VisitExpr_(op);
    const PrimExpr condition = Reduce(op->args[0]);
    if (!condition.same_as(op->args[0]) && is_one(condition)) return VisitExpr(op->args[1]);
    if (!condition.same_as(op->args[0]) && is_zero(condition)) return VisitExpr(op->args[2]);
    return Call(op->dtype, op->op,
                {VisitExpr(condition), VisitExpr(op->args[1]), VisitExpr(op->args[2])},
                op->annotations, op->span);
  }

  const std::vector<PrimExpr>& known_;
  bool holds_;
};

int CountComparisons(const Stmt& stmt) {
  class Counter : public StmtExprVisitor {
   public:
    int count = 0;
    using StmtExprVisitor::operator();

   private:
    void VisitExpr(const PrimExpr& e) final {
      const bool compares = e.as<LTNode>() || e.as<LENode>() || e.as<GTNode>() || e.as<GENode>() ||
                            e.as<EQNode>() || e.as<NENode>();
      if (compares) ++count;
      StmtExprVisitor::VisitExpr(e);
    }
  };
  Counter counter;
  counter(stmt);
  return counter.count;
}

class Hoister : public StmtExprMutator {
 public:
  Stmt Run(const Stmt& body) { return VisitStmt(body); }

 private:
  Stmt VisitStmt_(const ForNode* op) final {
    const auto* extent = op->extent.as<tvm::IntImmNode>();
    const bool repeats = extent == nullptr || extent->value > 1;
    if (op->kind != ForKind::kSerial || !repeats || !IsPure(op->extent)) {
      return StmtExprMutator::VisitStmt_(op);
    }
    const LoopSurvey survey(op);
    const std::vector<PrimExpr> known =
        survey.may_split() ? survey.InvariantPart() : std::vector<PrimExpr>();
    if (known.empty()) return StmtExprMutator::VisitStmt_(op);
    auto loop = [&](bool holds) -> Stmt {
      Stmt body = Assume(known, holds).Run(op->body);
      return For(op->loop_var, op->min, op->extent, op->kind, body, op->thread_binding,
                 op->annotations, op->step, op->span);
    };
    PrimExpr condition;
    for (const PrimExpr& atom : known) condition = Conjunction(condition, atom);
    Stmt inside = loop(true);
    Stmt outside = loop(false);
    if (DoesNothing(outside))
      return IfThenElse(condition, VisitStmt(inside), std::nullopt, op->span);
    // Two copies of the loop must not mean two copies of its other tests.
    const int after =
        static_cast<int>(known.size()) + CountComparisons(inside) + CountComparisons(outside);
    if (after > CountComparisons(op->body)) return StmtExprMutator::VisitStmt_(op);
    inside = VisitStmt(inside);
    return IfThenElse(condition, inside, VisitStmt(FreshCopy(outside)), op->span);
  }

  Stmt VisitStmt_(const SBlockNode* op) final {
    Stmt body = VisitStmt(op->body);
    if (body.same_as(op->body)) return tvm::ffi::GetRef<Stmt>(op);
    auto block = tvm::ffi::make_object<SBlockNode>(*op);
    block->body = std::move(body);
    return Stmt(std::move(block));
  }
};

}  // namespace

PrimFunc HoistGuards(PrimFunc func) {
  // A loop that was too large may be small enough once the tests inside it are gone. Each round
  // takes comparisons out of loops, so the rounds end; the bound is a matter of form.
  constexpr int kMostRounds = 16;
  Stmt body = func->body;
  for (int round = 0; round < kMostRounds; ++round) {
    Stmt next = Hoister().Run(body);
    if (next.same_as(body)) break;
    body = std::move(next);
  }
  if (body.same_as(func->body)) return func;
  func.CopyOnWrite()->body = std::move(body);
  return func;
}

}  // namespace tileguard

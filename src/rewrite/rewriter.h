// Puts the decided guards into the program.
#ifndef TILEGUARD_REWRITE_REWRITER_H_
#define TILEGUARD_REWRITE_REWRITER_H_

#include <tvm/tirx/stmt_functor.h>

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "../extract/site.h"
#include "../model/access.h"
#include "condition.h"
#include "safe_values.h"

namespace tileguard {

/*!
 * \brief Rewrites a function by the decisions on its accesses.
 *
 * - a load:  `cond ? load : safe`, evaluated where the load stood;
 * - a store: `if (cond) store`, its right-hand side kept outside when it has an effect;
 * - several loads of one statement under the same condition share one test of it;
 * - an index that must not be evaluated twice is bound to a variable first.
 *
 * A function whose accesses are all proved comes back as the same object.
 */
class Rewriter : public tvm::tirx::StmtExprMutator {
 public:
  Rewriter(const Extraction& extraction, const std::vector<Decision>& decisions)
      : extraction_(extraction), decisions_(decisions) {}

  tvm::tirx::PrimFunc Run(tvm::tirx::PrimFunc func);

 private:
  using PrimExpr = tvm::PrimExpr;
  using Stmt = tvm::tirx::Stmt;
  using Indices = tvm::ffi::Array<PrimExpr>;
  // Statements to run before the one being rewritten, in order.
  using Prologue = tvm::ffi::Array<Stmt>;

  // A load of the statement in hand that is evaluated whenever the statement is.
  struct EagerLoad {
    int id;
    PrimExpr condition;
  };

  Stmt VisitStmt(const Stmt& stmt) final;
  Stmt VisitStmt_(const tvm::tirx::BufferStoreNode* op) final;
  Stmt VisitStmt_(const tvm::tirx::EvaluateNode* op) final;
  Stmt VisitStmt_(const tvm::tirx::ForNode* op) final;
  Stmt VisitStmt_(const tvm::tirx::WhileNode* op) final;
  Stmt VisitStmt_(const tvm::tirx::SBlockNode* op) final;
  Stmt VisitStmt_(const tvm::tirx::AttrStmtNode* op) final;
  PrimExpr VisitExpr_(const tvm::tirx::BufferLoadNode* op) final;
  PrimExpr VisitExpr_(const tvm::tirx::CallNode* op) final;
  PrimExpr VisitExpr_(const tvm::tirx::AndNode* op) final;
  PrimExpr VisitExpr_(const tvm::tirx::LetNode* op) final;
  PrimExpr VisitExpr_(const tvm::tirx::OrNode* op) final;

  PrimExpr VisitLazily(const PrimExpr& e);
  Indices VisitIndices(const Indices& indices);
  // Binds the indices that may be evaluated only once; returns variables in their place.
  Indices BindOnce(const AccessSite& site, const Indices& indices, Prologue* prologue);
  Stmt WithPrologue(const Prologue& prologue, Stmt stmt);
  static PrimExpr WithLets(const Prologue& binds, PrimExpr value);
  // Where the present expression may bind: in front of its statement, or `inside` itself.
  Prologue* BindsTo(Prologue* inside) {
    return prologue_ != nullptr && lazy_depth_ == 0 ? prologue_ : inside;
  }

  PrimExpr GuardedLoad(int id, tvm::tirx::BufferLoad load);
  PrimExpr RaggedLoad(const AccessSite& site, const Decision& decision,
                      const tvm::tirx::BufferLoad& load, const PrimExpr& safe);
  Stmt StoreWithEffect(const tvm::tirx::BufferStoreNode* op, int visit);
  Stmt GuardedStore(const AccessSite& site, const Decision& decision,
                    const tvm::tirx::BufferStore& store);
  Stmt StoreWithSharedTest(const tvm::tirx::BufferStoreNode* op, const Indices& indices);
  Stmt RaggedStore(const AccessSite& site, const Decision& decision,
                   const tvm::tirx::BufferStore& store, const Prologue& binds);

  // A pointer argument of a call that has a site: where it points, rewritten, and the decision on
  // it.
  struct Target {
    int id = -1;
    size_t arg = 0;
    Indices indices;
  };
  // A call with its arguments rewritten, and its targets in order.
  struct PointerCall {
    tvm::tirx::Call call;
    std::vector<Target> targets;
    PrimExpr condition;  // every target is inside; undefined when that is proved
    Prologue binds;      // of indices, where they cannot be made in front of the statement
    Prologue inner;      // of values, to be made under the guard
  };

  const AccessSite& Site(int id) const { return extraction_.sites[static_cast<size_t>(id)]; }
  const Decision& DecisionOn(int id) const { return decisions_[static_cast<size_t>(id)]; }
  PointerCall RewritePointerCall(const tvm::tirx::CallNode* op, bool statement);
  Target RewriteTarget(int id, size_t arg, PrimExpr* pointer, Prologue* binds);
  PrimExpr RewritePointer(const PrimExpr& pointer);
  PrimExpr RewriteTileOp(const tvm::tirx::CallNode* op);
  PrimExpr RewriteReadOnlyLoad(const tvm::tirx::CallNode* op);
  PrimExpr GuardedCall(const PointerCall& rewritten);
  PrimExpr GuardedWideLoad(const PointerCall& rewritten);
  Stmt GuardedWideStore(const PointerCall& rewritten, const tvm::tirx::EvaluateNode* op);
  Stmt RewriteCopyAsync(const PointerCall& rewritten, const tvm::tirx::EvaluateNode* op);
  Stmt ElementAtomics(const PointerCall& rewritten);
  PrimExpr ElementAtomicsReturning(const PointerCall& rewritten);
  tvm::tirx::Call ElementAtomic(const PointerCall& rewritten, int e, const tvm::Op& op,
                                const tvm::DataType& returns, bool alone);
  bool TakesApart(const PointerCall& rewritten) const;
  // Element `e` of a target, and the test that it is inside (undefined when it is). `alone`: no
  // other target shares the test that failed.
  tvm::tirx::BufferLoad Element(const Target& target, int e) const;
  PrimExpr ElementCondition(const Target& target, int e, bool alone) const;
  PrimExpr ElementOrSafe(const Target& target, int e, bool alone) const;

  int CountVisit(const tvm::ffi::Object* node) { return visits_[node]++; }
  const std::vector<int>& SitesAt(const tvm::ffi::Object* node, int visit) const;
  bool NeedsGuard(int id) const;
  // The guard of `id` says the same of all its elements: no part of it is inside alone.
  bool AllOrNothing(int id) const;

  const Extraction& extraction_;
  const std::vector<Decision>& decisions_;
  SafeValues safe_values_;
  std::unordered_map<const tvm::ffi::Object*, int> visits_;
  Prologue* prologue_ = nullptr;  // null where nothing may be put in front (a while condition)
  int lazy_depth_ = 0;            // inside operands that may not be evaluated
  std::vector<EagerLoad>* eager_ = nullptr;  // collects, when set
  std::unordered_set<int> assumed_inside_;   // loads whose shared test is known to hold, or to fail
  std::unordered_set<int> assumed_outside_;
  RaggedLoads ragged_loads_;
};

}  // namespace tileguard

#endif  // TILEGUARD_REWRITE_REWRITER_H_

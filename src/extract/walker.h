// The walk over a function in program order: what is known where, and which accesses happen there.
#ifndef TILEGUARD_EXTRACT_WALKER_H_
#define TILEGUARD_EXTRACT_WALKER_H_

#include <tvm/tirx/stmt_functor.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pointer_ops.h"
#include "recorder.h"

namespace tileguard {

/*! \brief Does it store an integer of the thread's own memory, at a fixed place? */
bool StoresScalar(const tvm::tirx::BufferStoreNode* store);

/*!
 * \brief Visits statements in program order and expressions in evaluation order.
 *
 * Convention: after VisitStmt(s), `place_.facts` is what holds when s completes normally, within
 * the scope that s stands in; `ends_` tells that it never does. A scope that may run zero or
 * several times restores the facts it was entered with.
 */
class Walker : public tvm::tirx::StmtExprVisitor {
 public:
  Walker(Extraction* out, const Effects& function_effects);

  Recorder* recorder() { return &recorder_; }
  void Run(const tvm::tirx::PrimFunc& func);

 protected:
  /*! \brief Called at each `if`, `if_then_else` and cp.async predicate, before its operands are
   * known to be guarded by it. */
  virtual void OnCondition(const tvm::ffi::Object* owner, int visit,
                           const tvm::PrimExpr& condition) {
    (void)owner;
    (void)visit;
    (void)condition;
  }

  int CountVisit(const tvm::ffi::Object* node) { return visits_[node]++; }

  Extraction* out_;
  Terms terms_;
  MemoryState memory_;
  Converter converter_;
  Recorder recorder_;
  Place place_;

 private:
  using Stmt = tvm::tirx::Stmt;
  void VisitStmt(const Stmt& stmt) final;
  void VisitStmt_(const tvm::tirx::SeqStmtNode* op) final;
  void VisitStmt_(const tvm::tirx::AttrStmtNode* op) final;
  void VisitStmt_(const tvm::tirx::ForNode* op) final;
  void VisitStmt_(const tvm::tirx::WhileNode* op) final;
  void VisitStmt_(const tvm::tirx::IfThenElseNode* op) final;
  void VisitStmt_(const tvm::tirx::BindNode* op) final;
  void VisitStmt_(const tvm::tirx::AssertStmtNode* op) final;
  void VisitStmt_(const tvm::tirx::BufferStoreNode* op) final;
  void VisitStmt_(const tvm::tirx::EvaluateNode* op) final;
  void VisitStmt_(const tvm::tirx::SBlockNode* op) final;
  void VisitStmt_(const tvm::tirx::SBlockRealizeNode* op) final;
  void VisitStmt_(const tvm::tirx::DeclBufferNode* op) final;
  void VisitStmt_(const tvm::tirx::AllocBufferNode* op) final;
  void VisitExpr_(const tvm::tirx::BufferLoadNode* op) final;
  void VisitExpr_(const tvm::tirx::CallNode* op) final;
  void VisitExpr_(const tvm::tirx::AndNode* op) final;
  void VisitExpr_(const tvm::tirx::OrNode* op) final;
  void VisitExpr_(const tvm::tirx::LetNode* op) final;

  void Know(Formula fact) { place_.facts = WithFact(place_.facts, std::move(fact)); }
  // The same, of a condition of the program; `holds` or its negation.
  void KnowCondition(const tvm::PrimExpr& condition, bool holds);
  struct Known {
    FactList facts;
    FrozenFacts frozen;
  };
  Known Save() const { return {place_.facts, place_.frozen_facts}; }
  void Restore(const Known& known) {
    place_.facts = known.facts;
    place_.frozen_facts = known.frozen;
  }
  void KnowPlainExtents(const tvm::tirx::Buffer& buffer);
  void KnowShape(const tvm::tirx::Buffer& buffer);
  void KnowNoWrap(const tvm::PrimExpr& extent);
  LinearExpr LoopVariable(const tvm::tirx::VarNode* var, SymbolKind kind, const LinearExpr& min,
                          const LinearExpr& extent);
  LinearExpr StoredValue(const tvm::PrimExpr& value);
  // What memory holds now where `reads` would read it.
  std::vector<LinearExpr> ValuesOf(const std::vector<tvm::tirx::BufferLoad>& reads);
  void KnowStored(const tvm::tirx::BufferStoreNode* op, const LinearExpr& value);
  void FreezeRange(const tvm::tirx::Var& var, const tvm::PrimExpr& min,
                   const tvm::PrimExpr& extent);
  void BindValue(const tvm::tirx::VarNode* var, const tvm::PrimExpr& value);
  void VisitLoopBody(const Stmt& body, const Effects& effects);
  // Visits `e` where `condition`, or its negation, is known in addition.
  void VisitUnder(const tvm::PrimExpr& condition, bool holds, const tvm::PrimExpr& e);
  void VisitPointerCall(const tvm::tirx::CallNode* op, const std::string& name);
  int ElementsOf(const tvm::PrimExpr& pointer, int bytes) const;
  bool IsGuardable(PointerUse use, const tvm::tirx::CallNode* op) const;
  void LeaveUnguarded(int id, const std::string& name);
  void VisitIndicesOf(const tvm::PrimExpr& pointer);
  std::vector<int> RecordPointer(const tvm::tirx::CallNode* op, int visit, AccessKind kind,
                                 int elements, const tvm::PrimExpr& pointer);

  const tvm::tirx::CallNode* statement_call_ = nullptr;  // the call that is the whole statement
  bool ends_ = false;
  std::unordered_map<const tvm::ffi::Object*, int> visits_;
  std::unordered_map<const tvm::tirx::VarNode*, tvm::tirx::Buffer> buffer_of_data_;
};

}  // namespace tileguard

#endif  // TILEGUARD_EXTRACT_WALKER_H_

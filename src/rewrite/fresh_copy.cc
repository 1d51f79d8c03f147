#include "fresh_copy.h"

#include <tvm/tirx/stmt_functor.h>

#include <unordered_map>

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

class Copier : public StmtExprMutator {
 public:
  Stmt Run(const Stmt& stmt) { return VisitStmt(stmt); }

 private:
  Var Fresh(const Var& var) {
    Var fresh(std::string(var->name_hint) + "_tail", var->dtype);
    fresh_.emplace(var.get(), fresh);
    return fresh;
  }

  Stmt VisitStmt_(const ForNode* op) final {
    PrimExpr min = VisitExpr(op->min);
    PrimExpr extent = VisitExpr(op->extent);
    Var var = Fresh(op->loop_var);
    return For(var, min, extent, op->kind, VisitStmt(op->body), op->thread_binding, op->annotations,
               op->step, op->span);
  }

  Stmt VisitStmt_(const BindNode* op) final {
    PrimExpr value = VisitExpr(op->value);
    return tvm::tirx::Bind(Fresh(op->var), value, op->span);
  }

  PrimExpr VisitExpr_(const LetNode* op) final {
    PrimExpr value = VisitExpr(op->value);
    Var var = Fresh(op->var);
    return Let(var, value, VisitExpr(op->body), op->span);
  }

  PrimExpr VisitExpr_(const VarNode* op) final {
    auto found = fresh_.find(op);
    return found == fresh_.end() ? tvm::ffi::GetRef<PrimExpr>(op) : found->second;
  }

  std::unordered_map<const VarNode*, Var> fresh_;
};

}  // namespace

Stmt FreshCopy(const Stmt& stmt) { return Copier().Run(stmt); }

}  // namespace tileguard

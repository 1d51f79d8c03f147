#include <tvm/tirx/analysis.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <string>
#include <utility>

#include "../extract/memory_state.h"
#include "../extract/pointer_ops.h"
#include "frontend.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

bool IsLocal(const Buffer& buffer) { return std::string(buffer.scope()).rfind("local", 0) == 0; }

// Loads of `e` that something in `effects` may write.
std::vector<const BufferLoadNode*> ReadsOf(const PrimExpr& e, const Effects& effects) {
  std::vector<const BufferLoadNode*> out;
  PostOrderVisit(e, [&](const tvm::ffi::ObjectRef& object) {
    const auto* load = object.as<BufferLoadNode>();
    if (load != nullptr && effects.written.count(load->buffer->data.get()) != 0)
      out.push_back(load);
  });
  return out;
}

// A read of a variable of the thread at a fixed place can be made early, whatever guards it.
bool ReadableEarly(const std::vector<const BufferLoadNode*>& loads) {
  for (const BufferLoadNode* load : loads) {
    if (!IsLocal(load->buffer)) return false;
    for (const PrimExpr& index : load->indices) {
      if (index.as<tvm::IntImmNode>() == nullptr) return false;
    }
  }
  return true;
}

class Freezer : public StmtExprMutator {
 public:
  explicit Freezer(Effects function) : function_(std::move(function)) {}
  Stmt Run(const Stmt& body) { return VisitStmt(body); }

 private:
  using Prologue = tvm::ffi::Array<Stmt>;

  static Stmt After(const Prologue& prologue, Stmt stmt) {
    if (prologue.empty()) return stmt;
    Prologue all = prologue;
    all.push_back(std::move(stmt));
    return SeqStmt::Flatten(all);
  }

  // `e` with its reads of what `scope` writes taken once, in front.
  PrimExpr Freeze(const PrimExpr& e, const Effects& scope, Prologue* prologue) {
    const std::vector<const BufferLoadNode*> loads = ReadsOf(e, scope);
    if (loads.empty()) return e;
    if (!ReadableEarly(loads)) return BindTo("frozen", e, prologue);
    class Replacer : public ExprMutator {
     public:
      Replacer(const std::vector<const BufferLoadNode*>& loads, Prologue* prologue)
          : loads_(loads), prologue_(prologue) {}

     private:
      PrimExpr VisitExpr_(const BufferLoadNode* op) final {
        for (const BufferLoadNode* load : loads_) {
          if (load != op) continue;
          for (const auto& [known, var] : bound_) {
            if (ExprDeepEqual()(known, tvm::ffi::GetRef<PrimExpr>(op))) return var;
          }
          const PrimExpr read = tvm::ffi::GetRef<PrimExpr>(op);
          const PrimExpr var = BindTo(op->buffer->name, read, prologue_);
          bound_.emplace_back(read, var);
          return var;
        }
        return ExprMutator::VisitExpr_(op);
      }
      const std::vector<const BufferLoadNode*>& loads_;
      Prologue* prologue_;
      std::vector<std::pair<PrimExpr, PrimExpr>> bound_;
    };
    Replacer replacer(loads, prologue);
    return static_cast<ExprMutator&>(replacer)(e);
  }

  static PrimExpr BindTo(const std::string& name, const PrimExpr& value, Prologue* prologue) {
    Var var(name + "_then", value.dtype());
    prologue->push_back(tvm::tirx::Bind(var, value));
    return var;
  }

  Stmt VisitStmt_(const IfThenElseNode* op) final {
    Effects scope = CollectEffects(op->then_case);
    if (op->else_case) {
      const Effects other = CollectEffects(op->else_case.value());
      scope.written.insert(other.written.begin(), other.written.end());
    }
    Prologue prologue;
    PrimExpr condition = Freeze(op->condition, scope, &prologue);
    Stmt then_case = VisitStmt(op->then_case);
    tvm::ffi::Optional<Stmt> else_case = op->else_case;
    if (else_case) else_case = VisitStmt(else_case.value());
    if (condition.same_as(op->condition) && then_case.same_as(op->then_case) &&
        else_case.same_as(op->else_case)) {
      return tvm::ffi::GetRef<Stmt>(op);
    }
    return After(prologue, IfThenElse(condition, then_case, else_case, op->span));
  }

  Stmt VisitStmt_(const ForNode* op) final {
    const Effects scope = CollectEffects(op->body);
    Prologue prologue;
    PrimExpr min = Freeze(op->min, scope, &prologue);
    PrimExpr extent = Freeze(op->extent, scope, &prologue);
    Stmt body = VisitStmt(op->body);
    if (min.same_as(op->min) && extent.same_as(op->extent) && body.same_as(op->body)) {
      return tvm::ffi::GetRef<Stmt>(op);
    }
    return After(prologue, For(op->loop_var, min, extent, op->kind, body, op->thread_binding,
                               op->annotations, op->step, op->span));
  }

  // The scope of an assert or an assumption reaches to the end of its block: take the whole
  // function.
  Stmt VisitStmt_(const AssertStmtNode* op) final {
    Prologue prologue;
    PrimExpr condition = Freeze(op->condition, function_, &prologue);
    if (condition.same_as(op->condition)) return tvm::ffi::GetRef<Stmt>(op);
    return After(prologue, AssertStmt(condition, op->error_kind, op->message_parts, op->span));
  }

  Stmt VisitStmt_(const EvaluateNode* op) final {
    const auto* call = op->value.as<CallNode>();
    if (call == nullptr || OpName(call) != "tirx.assume") return tvm::ffi::GetRef<Stmt>(op);
    const std::vector<const BufferLoadNode*> loads = ReadsOf(call->args[0], function_);
    if (loads.empty()) return tvm::ffi::GetRef<Stmt>(op);
    if (!ReadableEarly(loads)) return tvm::tirx::Evaluate(0);
    Prologue prologue;
    PrimExpr condition = Freeze(call->args[0], function_, &prologue);
    return After(prologue, tvm::tirx::Evaluate(Call(call->dtype, call->op, {condition},
                                                    call->annotations, call->span),
                                               op->span));
  }

  Stmt VisitStmt_(const BufferStoreNode* op) final { return tvm::ffi::GetRef<Stmt>(op); }
  Stmt VisitStmt_(const BindNode* op) final { return tvm::ffi::GetRef<Stmt>(op); }

  Stmt VisitStmt_(const SBlockNode* op) final {
    Stmt body = VisitStmt(op->body);
    if (body.same_as(op->body)) return tvm::ffi::GetRef<Stmt>(op);
    auto block = tvm::ffi::make_object<SBlockNode>(*op);
    block->body = std::move(body);
    return Stmt(std::move(block));
  }

  Effects function_;
};

}  // namespace

PrimFunc FreezeMutableReads(PrimFunc func) {
  Freezer freezer(CollectEffects(func->body));
  Stmt body = freezer.Run(func->body);
  if (body.same_as(func->body)) return func;
  func.CopyOnWrite()->body = std::move(body);
  return func;
}

}  // namespace tileguard

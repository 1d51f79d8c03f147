#include "memory_state.h"

#include <tvm/tirx/analysis.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/op_attr_types.h>
#include <tvm/tirx/stmt_functor.h>

#include <algorithm>

#include "pointer_ops.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

class EffectCollector : public StmtExprVisitor {
 public:
  Effects effects;

 private:
  void VisitStmt_(const BufferStoreNode* op) final {
    effects.written.insert(op->buffer->data.get());
    if (op->predicate) VisitExpr(op->predicate.value());
    StmtExprVisitor::VisitStmt_(op);
  }

  void VisitExpr_(const CallNode* op) final {
    const std::string name = OpName(op);
    if (IsBarrier(name)) effects.barrier = true;
    if (op->op.same_as(builtin::break_loop()) || name == "tl.loop_break" ||
        op->op.same_as(builtin::thread_return())) {
      effects.breaks = true;
    }
    // An op that only reads cannot write through its pointers; any other may, whatever mask it
    // shows.
    if (!IsPure(tvm::ffi::GetRef<Call>(op))) {
      for (const PrimExpr& arg : op->args) MarkPointers(arg);
    }
    StmtExprVisitor::VisitExpr_(op);
  }

  void MarkPointers(const PrimExpr& arg) {
    if (const VarNode* var = arg.as<VarNode>()) {
      if (var->dtype.is_handle()) effects.written.insert(var);
      return;
    }
    const CallNode* call = arg.as<CallNode>();
    if (call == nullptr) return;
    const std::string name = OpName(call);
    if (name == "tl.access_ptr" || name == "tirx.address_of" || name == "tl.tileop.region") {
      const BufferLoadNode* base = call->args[0].as<BufferLoadNode>();
      const IntImmNode* mask = name == "tirx.address_of"
                                   ? nullptr
                                   : call->args[name == "tl.access_ptr" ? 2 : 1].as<IntImmNode>();
      constexpr int64_t kWrite = 2;
      const bool only_read = mask != nullptr && (mask->value & kWrite) == 0;
      if (base != nullptr && !only_read) effects.written.insert(base->buffer->data.get());
    } else {
      for (const PrimExpr& inner : call->args) MarkPointers(inner);
    }
  }
};

}  // namespace

Effects CollectEffects(const Stmt& stmt) {
  EffectCollector collector;
  collector(stmt);
  return collector.effects;
}

Effects CollectEffects(const PrimExpr& expr) {
  EffectCollector collector;
  collector(expr);
  return collector.effects;
}

bool IsPure(const PrimExpr& expr) {
  bool pure = true;
  PostOrderVisit(expr, [&](const tvm::ffi::ObjectRef& object) {
    const auto* call = object.as<CallNode>();
    if (call == nullptr || !pure || IsPureMath(OpName(call))) return;
    const auto* op = call->op.as<tvm::OpNode>();
    static const auto effect_kind = tvm::Op::GetAttrMap<TCallEffectKind>("TCallEffectKind");
    if (op == nullptr) {
      pure = false;
      return;
    }
    const auto kind = static_cast<CallEffectKind>(
        effect_kind.get(tvm::ffi::GetRef<tvm::Op>(op), static_cast<int>(CallEffectKind::kOpaque))
            ->value);
    pure = kind <= CallEffectKind::kReadState || kind == CallEffectKind::kSpecialCallArg;
  });
  return pure;
}

bool MemoryState::IsReadOnly(const Buffer& buffer) const {
  return function_.written.count(buffer->data.get()) == 0;
}

bool StoreHasEffect(const BufferStoreNode* store) {
  return !IsPure(store->value) || std::any_of(store->indices.begin(), store->indices.end(),
                                              [](const PrimExpr& index) { return !IsPure(index); });
}

bool ValueGoesFirst(const BufferStoreNode* store) {
  if (StoreHasEffect(store)) return true;
  const int lanes = store->value.dtype().lanes();
  if (lanes == 1) return false;
  bool first = false;
  PostOrderVisit(store->value, [&](const tvm::ffi::ObjectRef& object) {
    if (const auto* load = object.as<BufferLoadNode>()) {
      first = first || load->buffer->data.same_as(store->buffer->data);
    }
    const auto* call = object.as<CallNode>();
    if (call == nullptr) return;
    const int made = call->dtype.lanes();
    const bool bits = call->op.same_as(builtin::reinterpret());
    first =
        first || (made != 1 && made != lanes) || (bits && call->args[0].dtype().lanes() != made);
  });
  return first;
}

std::string MemoryState::Epoch(const Buffer& buffer) {
  if (IsReadOnly(buffer)) return "const";
  const std::string scope = buffer.scope();
  if (scope == "global") return "read" + std::to_string(++unstable_reads_);
  std::string epoch = std::to_string(now_.written[buffer->data.get()]);
  if (scope.rfind("shared", 0) == 0) epoch += "b" + std::to_string(now_.barrier);
  return epoch;
}

void MemoryState::Clobber(const Effects& effects) {
  for (const VarNode* data : effects.written) now_.written[data] = ++writes_;
  if (effects.barrier) now_.barrier = ++writes_;
}

}  // namespace tileguard

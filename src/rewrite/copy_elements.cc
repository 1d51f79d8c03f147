#include "copy_elements.h"

#include <tvm/tirx/op.h>

#include <algorithm>

#include "../extract/pointer_ops.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

const BufferLoadNode* Base(const PrimExpr& pointer) {
  return pointer.as<CallNode>()->args[0].as<BufferLoadNode>();
}

tvm::ffi::Array<PrimExpr> Shifted(tvm::ffi::Array<PrimExpr> indices, int by) {
  const auto last = static_cast<int64_t>(indices.size()) - 1;
  if (by > 0) indices.Set(last, indices[last] + tvm::IntImm(indices[last].dtype(), by));
  return indices;
}

int64_t ElementCount(const Call& copy) {
  int64_t count = 1;
  if (const auto* size = copy->args[2].as<tvm::IntImmNode>()) count = std::max(count, size->value);
  const auto* source = copy->args[1].as<CallNode>();
  if (OpName(source) == "tl.access_ptr") {
    if (const auto* extent = source->args[1].as<tvm::IntImmNode>())
      count = std::max(count, extent->value);
  }
  return count;
}

}  // namespace

Stmt StoreElements(const Call& copy, const std::function<PrimExpr(int, BufferLoad)>& value,
                   const std::function<PrimExpr(int)>& inside) {
  const BufferLoadNode* target = Base(copy->args[0]);
  const BufferLoadNode* source = Base(copy->args[1]);
  tvm::ffi::Array<Stmt> stores;
  for (int e = 0; e < ElementCount(copy); ++e) {
    PrimExpr element = value(e, BufferLoad(source->buffer, Shifted(source->indices, e)));
    if (element.dtype() != target->buffer->dtype) {
      element = tvm::reinterpret(target->buffer->dtype, element);
    }
    const PrimExpr test = inside ? inside(e) : PrimExpr();
    if (test.defined() && is_zero(test)) continue;
    const BufferStore store(target->buffer, element, Shifted(target->indices, e));
    stores.push_back(test.defined() ? IfThenElse(test, store, std::nullopt) : Stmt(store));
  }
  return SeqStmt::Flatten(stores);
}

Stmt CopyElements(const Call& copy) {
  return StoreElements(copy, [&](int, const BufferLoad& source) -> PrimExpr {
    if (copy->args.size() < 4) return source;
    return tvm::if_then_else(copy->args[3], source, make_zero(source.dtype()));
  });
}

}  // namespace tileguard

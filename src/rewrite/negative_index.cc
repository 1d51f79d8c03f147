#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <utility>

#include "../extract/simplify.h"
#include "frontend.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

class FromTheEnd : public StmtExprMutator {
 public:
  Stmt Run(const Stmt& body) { return VisitStmt(body); }

 private:
  using Indices = tvm::ffi::Array<PrimExpr>;

  Indices Rewrite(const Buffer& buffer, const Indices& indices) {
    if (indices.size() != buffer->shape.size()) return indices;
    Indices out = indices;
    for (size_t d = 0; d < indices.size(); ++d) {
      const auto* literal = indices[d].as<tvm::IntImmNode>();
      if (literal == nullptr || literal->value >= 0) continue;
      const PrimExpr extent = tvm::cast(indices[d].dtype(), buffer->shape[d]);
      out.Set(static_cast<int64_t>(d), Simplified(extent + indices[d]));
    }
    return out;
  }

  PrimExpr VisitExpr_(const BufferLoadNode* op) final {
    BufferLoad load = tvm::Downcast<BufferLoad>(StmtExprMutator::VisitExpr_(op));
    const Indices indices = Rewrite(load->buffer, load->indices);
    if (indices.same_as(load->indices)) return load;
    return BufferLoad(load->buffer, indices, load->predicate, load->span);
  }

  Stmt VisitStmt_(const BufferStoreNode* op) final {
    BufferStore store = tvm::Downcast<BufferStore>(StmtExprMutator::VisitStmt_(op));
    const Indices indices = Rewrite(store->buffer, store->indices);
    if (indices.same_as(store->indices)) return store;
    return BufferStore(store->buffer, store->value, indices, store->predicate, store->span);
  }
};

}  // namespace

PrimFunc LegalizeNegativeIndex(PrimFunc func) {
  Stmt body = FromTheEnd().Run(func->body);
  if (body.same_as(func->body)) return func;
  func.CopyOnWrite()->body = std::move(body);
  return func;
}

}  // namespace tileguard

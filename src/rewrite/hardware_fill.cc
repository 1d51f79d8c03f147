#include <tvm/arith/analyzer.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <cmath>
#include <exception>
#include <string>
#include <utility>

#include "../extract/pointer_ops.h"
#include "frontend.h"
#include "safe_values.h"
#include "warnings.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

constexpr const char* kDisableTma = "disable_tma";

// The bits of zero, which is what the hardware fills with; -0.0 has others.
bool IsPlainZero(const PrimExpr& e) {
  if (const auto* imm = e.as<tvm::IntImmNode>()) return imm->value == 0;
  if (const auto* imm = e.as<tvm::FloatImmNode>()) {
    return imm->value == 0 && !std::signbit(imm->value);
  }
  if (const auto* cast = e.as<CastNode>()) return IsPlainZero(cast->value);
  return false;
}

bool IsSet(const CallNode* op, const char* name) {
  auto value = op->annotations.Get(name);
  if (!value) return false;
  const auto* number = value.value().as<tvm::IntImmNode>();
  return number != nullptr && number->value != 0;
}

class KeepFills : public StmtExprMutator {
 public:
  explicit KeepFills(const PrimFunc& func) {
    for (const auto& [param, buffer] : func->buffer_map) safe_.Declare(buffer);
  }
  Stmt Run(const Stmt& body) { return VisitStmt(body); }

 private:
  // `tl.region(buffer[starts], access, extents...)` of global memory.
  const BufferLoadNode* GlobalSource(const PrimExpr& e, tvm::ffi::Array<PrimExpr>* extents) {
    const auto* region = e.as<CallNode>();
    if (region == nullptr || OpName(region) != "tl.region") return nullptr;
    const auto* load = region->args[0].as<BufferLoadNode>();
    if (load == nullptr || std::string(load->buffer.scope()) != "global") return nullptr;
    for (size_t i = 2; i < region->args.size(); ++i) extents->push_back(region->args[i]);
    return extents->size() == load->indices.size() ? load : nullptr;
  }

  bool IsInside(const BufferLoadNode* source, const tvm::ffi::Array<PrimExpr>& extents) {
    try {
      for (size_t d = 0; d < extents.size(); ++d) {
        const PrimExpr& start = source->indices[d];
        if (!analyzer_.CanProve(start >= 0)) return false;
        if (!analyzer_.CanProve(start + extents[d] <= source->buffer->shape[d])) return false;
      }
    } catch (const std::exception&) {
      return false;
    }
    return true;
  }

  PrimExpr VisitExpr_(const CallNode* op) final {
    const std::string name = OpName(op);
    const bool copy = name == "tl.tileop.copy";
    const bool bulk = name == "tl.tileop.tma_copy" || name == "tl.tileop.c2d_im2col" ||
                      (copy && (IsSet(op, "is_tma_copy") || op->annotations.count("cluster_mask") ||
                                op->annotations.count("prefer_instruction")));
    if (!copy && !bulk) return StmtExprMutator::VisitExpr_(op);
    tvm::ffi::Array<PrimExpr> extents;
    const BufferLoadNode* source = GlobalSource(op->args[0], &extents);
    if (source == nullptr || IsSet(op, kDisableTma)) return StmtExprMutator::VisitExpr_(op);
    const PrimExpr safe = safe_.Of(source->buffer, source->buffer->dtype);
    if (IsPlainZero(safe) || IsInside(source, extents)) return StmtExprMutator::VisitExpr_(op);
    if (bulk) {
      EmitWarning("a bulk copy of " + std::string(source->buffer->name) +
                  " asked for by name reads 0 outside the buffer, not its safe value");
      return StmtExprMutator::VisitExpr_(op);
    }
    auto call = tvm::ffi::make_object<CallNode>(*op);
    call->annotations.Set(kDisableTma, tvm::IntImm(tvm::DataType::Int(32), 1));
    return Call(std::move(call));
  }

  Stmt VisitStmt_(const SBlockNode* op) final {
    SafeValues before = safe_.Enter(op);
    Stmt out = StmtExprMutator::VisitStmt_(op);
    safe_.Restore(std::move(before));
    return out;
  }
  Stmt VisitStmt_(const ForNode* op) final {
    analyzer_.Bind(op->loop_var, tvm::Range::FromMinExtent(op->min, op->extent), true);
    return StmtExprMutator::VisitStmt_(op);
  }
  Stmt VisitStmt_(const AttrStmtNode* op) final {
    if (const auto* iter = op->node.as<IterVarNode>()) {
      analyzer_.Bind(iter->var, tvm::Range::FromMinExtent(0, op->value), true);
    }
    return StmtExprMutator::VisitStmt_(op);
  }

  tvm::arith::Analyzer analyzer_;
  SafeValues safe_;
};

}  // namespace

PrimFunc KeepHardwareFills(PrimFunc func) {
  Stmt body = KeepFills(func).Run(func->body);
  if (body.same_as(func->body)) return func;
  func.CopyOnWrite()->body = std::move(body);
  return func;
}

}  // namespace tileguard

#include "second_opinion.h"

#include <tvm/arith/analyzer.h>
#include <tvm/tirx/expr_functor.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <exception>
#include <utility>
#include <vector>

#include "memory_state.h"
#include "pointer_ops.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

class Replacer : public ExprMutator {
 public:
  Replacer(const std::function<std::string(const PrimExpr&)>& key,
           std::unordered_map<std::string, Var>* variables)
      : key_(key), variables_(variables) {}

 private:
  PrimExpr Variable(const PrimExpr& e) {
    const std::string text = key_(e);
    auto found = variables_->find(text);
    if (found == variables_->end()) {
      found =
          variables_->emplace(text, Var("value" + std::to_string(variables_->size()), e.dtype()))
              .first;
    }
    return found->second;
  }
  PrimExpr VisitExpr_(const BufferLoadNode* op) final {
    return Variable(tvm::ffi::GetRef<PrimExpr>(op));
  }
  PrimExpr VisitExpr_(const CallNode* op) final {
    const PrimExpr call = tvm::ffi::GetRef<PrimExpr>(op);
    return IsPure(call) ? ExprMutator::VisitExpr_(op) : Variable(call);
  }

  const std::function<std::string(const PrimExpr&)>& key_;
  std::unordered_map<std::string, Var>* variables_;
};

}  // namespace

PrimExpr Freezer::Freeze(const PrimExpr& e,
                         const std::function<std::string(const PrimExpr&)>& key) {
  return Replacer(key, &variables_)(e);
}

namespace {

bool IsNonZero(const PrimExpr& divisor) {
  const auto* constant = divisor.as<tvm::IntImmNode>();
  return constant != nullptr && constant->value != 0;
}

// A shift by less than the width of the type; any other is undefined.
bool IsShiftOf(const PrimExpr& distance, int bits) {
  const auto* constant = distance.as<tvm::IntImmNode>();
  return constant != nullptr && constant->value >= 0 && constant->value < bits;
}

// The host's bounds are wrong for truncated division and modulo of negatives, and for casts that do
// not keep the value. It takes every divisor for nonzero and every shift for one that fits, while a
// device goes on with what comes out. What holds one of them is not for it to judge.
bool HostIsRightAbout(const PrimExpr& e) {
  bool right = true;
  PostOrderVisit(e, [&right](const tvm::ffi::ObjectRef& object) {
    if (object.as<DivNode>() != nullptr || object.as<ModNode>() != nullptr) right = false;
    const auto* quotient = object.as<FloorDivNode>();
    const auto* remainder = object.as<FloorModNode>();
    const auto* call = object.as<CallNode>();
    const bool shift = call != nullptr && OpName(call).rfind("tirx.shift_", 0) == 0;
    if (shift && !IsShiftOf(call->args[1], call->dtype.bits())) right = false;
    if (quotient != nullptr) right = right && IsNonZero(quotient->b);
    if (remainder != nullptr) right = right && IsNonZero(remainder->b);
    const auto* cast = object.as<CastNode>();
    if (cast == nullptr) return;
    const tvm::DataType from = cast->value.dtype();
    const bool keeps = from.is_int() && cast->dtype.is_int() && cast->dtype.bits() >= from.bits();
    right = right && keeps;
  });
  return right;
}

}  // namespace

bool HostProves(const AccessSite& site, int dim, bool upper) {
  if (site.frozen_indices.empty() || site.vector_lanes > 1 || site.elements > 1) return false;
  const PrimExpr index = site.frozen_indices[static_cast<size_t>(dim)];
  const PrimExpr extent = site.shape[static_cast<size_t>(dim)];
  if (index.dtype() != extent.dtype() || !HostIsRightAbout(index)) return false;
  try {
    tvm::arith::Analyzer analyzer;
    std::vector<std::unique_ptr<tvm::With<tvm::arith::ConstraintContext>>> constraints;
    for (const FrozenFact* f = site.frozen_facts.get(); f != nullptr; f = f->outer.get()) {
      if (!HostIsRightAbout(f->fact)) continue;
      constraints.push_back(
          std::make_unique<tvm::With<tvm::arith::ConstraintContext>>(&analyzer, f->fact));
    }
    const PrimExpr bound =
        upper ? PrimExpr(LT(index, extent)) : GE(index, make_zero(index.dtype()));
    const bool proved = analyzer.CanProve(bound, tvm::arith::ProofStrength::kSymbolicBound);
    while (!constraints.empty()) constraints.pop_back();
    return proved;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace tileguard

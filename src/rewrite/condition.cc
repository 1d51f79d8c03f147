#include "condition.h"

#include <tvm/tirx/builtin.h>
#include <tvm/tirx/expr_functor.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <algorithm>
#include <optional>

#include "../extract/lane_conditions.h"
#include "../extract/pointer_ops.h"
#include "../extract/simplify.h"

namespace tileguard {

namespace {

using tvm::DataType;
using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

// One lane of every vector below; scalar sub-terms stay as they are.
class LanePicker : public ExprMutator {
 public:
  LanePicker(int lane, const RaggedLoads* ragged) : lane_(lane), ragged_(ragged) {}

  PrimExpr VisitExpr(const PrimExpr& e) final {
    return e.dtype().lanes() == 1 ? e : ExprMutator::VisitExpr(e);
  }

 private:
  PrimExpr VisitExpr_(const RampNode* op) final {
    return op->base + op->stride * tvm::IntImm(op->stride.dtype(), lane_);
  }
  PrimExpr VisitExpr_(const BroadcastNode* op) final { return op->value; }
  PrimExpr VisitExpr_(const VarNode* op) final {
    return Shuffle::ExtractElement(tvm::ffi::GetRef<Var>(op), lane_);
  }
  PrimExpr VisitExpr_(const CastNode* op) final {
    return Cast(op->dtype.element_of(), VisitExpr(op->value));
  }
  PrimExpr VisitExpr_(const BufferLoadNode* op) final {
    tvm::ffi::Array<PrimExpr> indices;
    for (const PrimExpr& index : op->indices) indices.push_back(VisitExpr(index));
    return BufferLoad(op->buffer, indices, op->predicate, op->span);
  }
  PrimExpr VisitExpr_(const CallNode* op) final {
    // A change of type may give a lane the bits of several: it is made of the whole.
    for (const PrimExpr& arg : op->args) {
      const int lanes = arg.dtype().lanes();
      if (lanes != 1 && lanes != op->dtype.lanes()) {
        return Shuffle::ExtractElement(tvm::ffi::GetRef<PrimExpr>(op), lane_);
      }
    }
    const bool pointer = LookUpPointerOp(OpName(op)).use != PointerUse::kArithmetic;
    if (pointer && !op->op.same_as(builtin::if_then_else())) {
      return Shuffle::ExtractElement(tvm::ffi::GetRef<PrimExpr>(op), lane_);
    }
    if (ragged_ != nullptr) {
      auto found = ragged_->find(tvm::ffi::GetRef<PrimExpr>(op));
      if (found != ragged_->end()) return found->second[static_cast<size_t>(lane_)];
    }
    tvm::ffi::Array<PrimExpr> args;
    for (const PrimExpr& arg : op->args) args.push_back(VisitExpr(arg));
    return Call(op->dtype.element_of(), op->op, args, op->annotations, op->span);
  }
  PrimExpr VisitExpr_(const SelectNode* op) final {
    return Select(VisitExpr(op->condition), VisitExpr(op->true_value), VisitExpr(op->false_value));
  }
  PrimExpr VisitExpr_(const ShuffleNode* op) final {
    int64_t wanted = op->indices[static_cast<size_t>(lane_)].as<tvm::IntImmNode>()->value;
    for (const PrimExpr& vector : op->vectors) {
      const int lanes = vector.dtype().lanes();
      if (wanted < lanes) return LaneOf(vector, static_cast<int>(wanted), ragged_);
      wanted -= lanes;
    }
    return ExprMutator::VisitExpr_(op);
  }

  int lane_;
  const RaggedLoads* ragged_;
};

bool IsNarrowing(const CastNode* op) {
  const DataType from = op->value.dtype();
  const DataType to = op->dtype;
  const bool integers = (from.is_int() || from.is_uint()) && (to.is_int() || to.is_uint()) &&
                        !from.is_bool() && !to.is_bool();
  return integers &&
         (to.bits() < from.bits() || (to.bits() == from.bits() && to.is_int() != from.is_int()));
}

// Sums and products only: computed modulo the type's size they end up right whenever the result
// fits.
bool IsRing(const PrimExpr& e) {
  if (const auto* op = e.as<AddNode>()) return IsRing(op->a) && IsRing(op->b);
  if (const auto* op = e.as<SubNode>()) return IsRing(op->a) && IsRing(op->b);
  if (const auto* op = e.as<MulNode>()) return IsRing(op->a) && IsRing(op->b);
  return e.as<VarNode>() != nullptr || e.as<tvm::IntImmNode>() != nullptr ||
         e.as<BufferLoadNode>() != nullptr;
}

bool HasNarrowingCast(const PrimExpr& e) {
  bool found = false;
  PostOrderVisit(e, [&](const tvm::ffi::ObjectRef& object) {
    const auto* cast = object.as<CastNode>();
    found = found || (cast != nullptr && IsNarrowing(cast));
  });
  return found;
}

// The same integer computed in 64 bits: leaves are cast, arithmetic follows. A narrowing cast is
// written as the bits it keeps: the host's simplifier takes a cast for a change of type only, and
// would delete a test of the wrapped value.
class Widener : public ExprMutator {
 public:
  PrimExpr VisitExpr(const PrimExpr& e) final {
    if (e.dtype().is_bool()) return tvm::cast(kWide, e);
    const bool integer = e.dtype().is_int() || e.dtype().is_uint();
    if (!integer) return e;
    if (const auto* imm = e.as<tvm::IntImmNode>()) return tvm::IntImm(kWide, imm->value);
    if (const auto* op = e.as<AddNode>()) return VisitExpr(op->a) + VisitExpr(op->b);
    if (const auto* op = e.as<SubNode>()) return VisitExpr(op->a) - VisitExpr(op->b);
    if (const auto* op = e.as<MulNode>()) return VisitExpr(op->a) * VisitExpr(op->b);
    if (const auto* op = e.as<FloorDivNode>()) return tvm::floordiv(Operand(op->a), Operand(op->b));
    if (const auto* op = e.as<FloorModNode>()) return tvm::floormod(Operand(op->a), Operand(op->b));
    if (const auto* op = e.as<DivNode>()) return tvm::truncdiv(Operand(op->a), Operand(op->b));
    if (const auto* op = e.as<ModNode>()) return tvm::truncmod(Operand(op->a), Operand(op->b));
    if (const auto* op = e.as<MinNode>()) return tvm::min(Operand(op->a), Operand(op->b));
    if (const auto* op = e.as<MaxNode>()) return tvm::max(Operand(op->a), Operand(op->b));
    if (const auto* op = e.as<SelectNode>()) {
      return Select(op->condition, VisitExpr(op->true_value), VisitExpr(op->false_value));
    }
    if (const auto* op = e.as<CastNode>()) {
      const DataType from = op->value.dtype();
      const bool integers = (from.is_int() || from.is_uint()) && !from.is_bool();
      const bool keeps = from.is_int() ? op->dtype.is_int() && from.bits() <= op->dtype.bits()
                                       : from.bits() < std::min(32, op->dtype.bits());
      if (integers && keeps) return VisitExpr(op->value);
      if (IsNarrowing(op) && op->dtype.bits() < 64) return KeptBits(op);
    }
    if (const auto* op = e.as<CallNode>()) {
      if (op->op.same_as(builtin::if_then_else())) {
        return tvm::if_then_else(op->args[0], VisitExpr(op->args[1]), VisitExpr(op->args[2]));
      }
      if (op->op.same_as(builtin::shift_left()))
        return VisitExpr(op->args[0]) << VisitExpr(op->args[1]);
      if (op->op.same_as(builtin::shift_right()))
        return Operand(op->args[0]) >> VisitExpr(op->args[1]);
    }
    return e.dtype() == kWide ? e : tvm::cast(kWide, e);
  }

 private:
  // Unsigned arithmetic has wrapped before a quotient or a minimum looks at it.
  PrimExpr Operand(const PrimExpr& e) {
    const bool wraps = e.dtype().is_uint() && !e.dtype().is_bool() && e.dtype().bits() >= 32;
    return wraps ? tvm::cast(kWide, e) : VisitExpr(e);
  }

  // x mod 2^b for unsigned types; for signed ones shifted by half, so that the top bit is the sign.
  PrimExpr KeptBits(const CastNode* op) {
    const int64_t size = int64_t{1} << op->dtype.bits();
    const PrimExpr mask = tvm::IntImm(kWide, size - 1);
    const PrimExpr value = tvm::cast(kWide, op->value);
    if (op->dtype.is_uint()) return value & mask;
    const PrimExpr half = tvm::IntImm(kWide, size / 2);
    return ((value + half) & mask) - half;
  }

  const DataType kWide = DataType::Int(64);
};

// Index of dimension `atom.dim` as the chosen lane sees it; nullopt lane means the expression as it
// is.
PrimExpr IndexAt(const AccessSite& site, const GuardAtom& atom, PrimExpr index,
                 std::optional<int> lane) {
  if (site.vector_lanes > 1) return LaneOf(index, lane.value_or(0));
  const bool last_dim = atom.dim + 1 == static_cast<int>(site.indices.size());
  if (site.elements > 1 && last_dim && lane.value_or(0) > 0) {
    return index + tvm::IntImm(index.dtype(), *lane);
  }
  return index;
}

PrimExpr AtomCondition(const AccessSite& site, const GuardAtom& atom, PrimExpr index) {
  PrimExpr extent = site.shape[static_cast<size_t>(atom.dim)];
  // No wider type holds it; below zero it is far above any extent.
  if (index.dtype() == DataType::UInt(64) && !atom.positive_extent) {
    return LT(index, tvm::cast(index.dtype(), extent));
  }
  const bool mixed = index.dtype() != extent.dtype();
  if (atom.wide || index.dtype().is_bool() || (mixed && atom.upper) || HasNarrowingCast(index)) {
    index = Widener().VisitExpr(index);
    extent = Widener().VisitExpr(extent);
  }
  if (atom.both_bounds) {
    const DataType type = DataType::UInt(64);
    return LT(tvm::cast(type, index), tvm::cast(type, extent));
  }
  if (atom.positive_extent) return LT(tvm::IntImm(extent.dtype(), 0), extent);
  if (atom.upper) return LT(index, extent);
  return GE(index, tvm::IntImm(index.dtype(), 0));
}

// The lane that the full-vector test compares, -1 for none in particular.
int LaneOfFullTest(const AccessSite& site, const GuardAtom& atom) {
  if (site.flattened) {
    const auto* count = site.count.defined() ? site.count.as<tvm::IntImmNode>() : nullptr;
    return atom.dim == 1 && count != nullptr ? static_cast<int>(count->value) - 1 : -1;
  }
  if (atom.uniform) return -1;
  if (atom.lane == LaneChoice::kFirst) return 0;
  if (atom.lane == LaneChoice::kLast) return std::max(site.vector_lanes, site.elements) - 1;
  return -1;
}

// The indices that a test of every lane has to compare: one that lies a constant before another on
// the way to the bound is inside when that one is.
std::vector<PrimExpr> ExtremeLanes(const AccessSite& site, const GuardAtom& atom,
                                   const PrimExpr& index, int lanes) {
  std::vector<PrimExpr> all;
  for (int lane = 0; lane < lanes; ++lane) {
    all.push_back(Simplified(IndexAt(site, atom, index, lane)));
  }
  auto covers = [&](size_t i, size_t j) {
    const PrimExpr ahead = Simplified(atom.upper ? all[i] - all[j] : all[j] - all[i]);
    const auto* distance = ahead.as<tvm::IntImmNode>();
    return distance != nullptr && (distance->value > 0 || (distance->value == 0 && i < j));
  };
  std::vector<PrimExpr> out;
  for (size_t j = 0; j < all.size(); ++j) {
    bool covered = false;
    for (size_t i = 0; i < all.size() && !covered; ++i) covered = i != j && covers(i, j);
    if (!covered) out.push_back(all[j]);
  }
  return out;
}

}  // namespace

PrimExpr Conjunction(const PrimExpr& a, const PrimExpr& b) {
  if (!a.defined()) return b;
  for (const PrimExpr& part : Conjuncts(a)) {
    if (ExprDeepEqual()(part, b)) return a;
  }
  return tvm::tirx::And(a, b);
}

tvm::ffi::Array<PrimExpr> AddressIndices(const AccessSite& site, const Decision& decision,
                                         tvm::ffi::Array<PrimExpr> indices) {
  if (site.vector_lanes > 1) return indices;
  for (const GuardAtom& atom : decision.atoms) {
    const PrimExpr& index = indices[atom.dim];
    if (!atom.wide || atom.dim >= static_cast<int>(indices.size()) || IsRing(index)) continue;
    indices.Set(atom.dim, Widener().VisitExpr(index));
  }
  return indices;
}

PrimExpr Widened(const PrimExpr& e) { return Widener().VisitExpr(e); }

PrimExpr LaneOf(const PrimExpr& e, int lane, const RaggedLoads* ragged) {
  return LanePicker(lane, ragged).VisitExpr(e);
}

PrimExpr BuildCondition(const AccessSite& site, const Decision& decision,
                        const tvm::ffi::Array<PrimExpr>& indices) {
  if (decision.verdict == Verdict::kOutOfBounds) return tvm::Bool(false);
  const int lanes = std::max(site.vector_lanes, site.elements);
  PrimExpr out;
  for (const GuardAtom& atom : decision.atoms) {
    PrimExpr index = indices[static_cast<size_t>(atom.dim)];
    if (site.lane_var && atom.uniform &&
        (atom.lane == LaneChoice::kFirst || atom.lane == LaneChoice::kLast)) {
      const PrimExpr value = atom.lane == LaneChoice::kFirst ? site.lane_first : site.lane_last;
      index = Simplified(
          Substitute(index, tvm::ffi::Map<Var, PrimExpr>{{site.lane_var.value(), value}}));
    } else if (lanes > 1 && atom.lane == LaneChoice::kEach) {
      for (const PrimExpr& each : ExtremeLanes(site, atom, index, lanes)) {
        out = Conjunction(out, AtomCondition(site, atom, each));
      }
      continue;
    } else if (lanes > 1) {
      const int lane = atom.lane == LaneChoice::kLast ? lanes - 1 : 0;
      index = IndexAt(site, atom, index, lane);
      if (lane > 0) index = Simplified(index);
    }
    out = Conjunction(out, AtomCondition(site, atom, index));
  }
  return out.defined() ? out : tvm::Bool(true);
}

PrimExpr BuildLaneCondition(const AccessSite& site, const Decision& decision,
                            const tvm::ffi::Array<PrimExpr>& indices, int lane, bool full_failed) {
  if (decision.verdict == Verdict::kOutOfBounds && !site.flattened) return tvm::Bool(false);
  // The one element that there is was tested as the whole.
  const bool single =
      site.elements == 1 && site.vector_lanes == 1 && (!site.flattened || site.indices.size() == 1);
  if (full_failed && single) return tvm::Bool(false);
  if (full_failed && decision.atoms.size() == 1 &&
      lane == LaneOfFullTest(site, decision.atoms[0])) {
    return tvm::Bool(false);
  }
  PrimExpr out;
  if (site.flattened) {
    // The ends of the span speak for the whole; one element needs the same bounds of its own.
    const PrimExpr index = Simplified(indices[0] + tvm::IntImm(indices[0].dtype(), lane));
    for (bool upper : {false, true}) {
      auto bounds = [upper](const GuardAtom& atom) { return atom.upper == upper; };
      if (std::none_of(decision.atoms.begin(), decision.atoms.end(), bounds)) continue;
      GuardAtom atom{0, upper};
      atom.wide = std::any_of(decision.atoms.begin(), decision.atoms.end(),
                              [](const GuardAtom& a) { return a.wide; });
      out = Conjunction(out, AtomCondition(site, atom, index));
    }
    return out.defined() ? out : tvm::Bool(true);
  }
  for (size_t i = 0; i < decision.atoms.size(); ++i) {
    const GuardAtom& atom = decision.atoms[i];
    const auto at = static_cast<size_t>(lane);
    if (at < decision.lane_tests.size() && !decision.lane_tests[at][i]) continue;
    const PrimExpr index =
        Simplified(IndexAt(site, atom, indices[static_cast<size_t>(atom.dim)], lane));
    out = Conjunction(out, AtomCondition(site, atom, index));
  }
  return out.defined() ? out : tvm::Bool(true);
}

}  // namespace tileguard

#include "converter.h"

#include <tvm/tirx/analysis.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "pointer_ops.h"
#include "simplify.h"
#include "term_key.h"

namespace tileguard {

namespace {

using tvm::DataType;
using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

int Log2(int64_t v) {
  int log = 0;
  while ((int64_t{1} << log) < v) ++log;
  return log;
}

// What the launch bounds, by the largest block (1024 threads), warp (32, or 64 on AMD) and cluster
// (16) there is.
std::optional<int64_t> LargestOf(const CallNode* call) {
  const std::string name = call == nullptr ? "" : OpName(call);
  if (name == "tl.block_rank_in_cluster") return 15;
  if (name == "tl.get_lane_idx") return 63;
  if (name == "tl.get_warp_idx" || name == "tl.get_warp_idx_sync") return 31;
  if (name == "tl.get_warp_group_idx") return 31;
  return std::nullopt;
}

}  // namespace

Interval TypeBounds(const DataType& t) {
  if (!IsInteger(t) || t.bits() > 32) return t.is_uint() ? Interval{0, std::nullopt} : Interval{};
  if (t.is_bool()) return {0, 1};
  const int64_t size = int64_t{1} << t.bits();
  if (t.is_uint()) return {0, size - 1};
  return {-size / 2, size / 2 - 1};
}

LinearExpr Converter::Variable(const VarNode* var, SymbolKind kind, Interval bounds) {
  SymbolInfo info;
  info.name = var->name_hint;
  info.kind = kind;
  info.lo = bounds.lo;
  info.hi = bounds.hi;
  const LinearExpr symbol = LinearExpr::Symbol(symbols_->Add(std::move(info)));
  ints_[var] = symbol;
  return symbol;
}

void Converter::Argument(const VarNode* var) {
  arguments_.insert(
      Variable(var, SymbolKind::kShape, TypeBounds(var->dtype)).terms().front().first);
}

LinearExpr Converter::Rebind(const VarNode* var, LinearExpr value) {
  std::swap(ints_[var], value);
  return value;
}

std::vector<FitRequirement> Converter::TakeObligations() { return std::exchange(obligations_, {}); }

// An operand. In an index it is the mathematical value, and guard and address are computed wide
// where it may not fit its type; in a condition, or what a variable holds, it is what the machine
// has.
LinearExpr Converter::Exact(const PrimExpr& e, const Lane& lane) {
  const DataType t = e.dtype();
  const LinearExpr value = Int(e, lane);
  if (t.is_bool() || !IsInteger(t)) return value;
  if (t.is_uint() && t.bits() >= 32) return terms_->Wrap(value, t.bits(), false);
  if (t.bits() == 64) return value;
  if (machine_ == 0) {
    obligations_.push_back({0, value, t.bits(), t.is_int()});
    return value;
  }
  return t.bits() < 32 ? Narrow(value, t) : value;
}

LinearExpr Converter::Stored(const PrimExpr& e) {
  ++machine_;
  LinearExpr value = Int(e);
  --machine_;
  return value;
}

// Arithmetic in fewer than 32 bits: C computes it in `int` and keeps what is above the type until
// it is stored, other targets wrap at once. Only what is true of both is known.
LinearExpr Converter::Narrow(const LinearExpr& value, const DataType& t) {
  const LinearExpr wrapped = terms_->Wrap(value, t.bits(), t.is_int());
  if (wrapped == value) return value;
  SymbolInfo info;
  info.name = "?" + std::to_string(symbols_->size());
  info.kind = SymbolKind::kOpaque;
  const LinearExpr either =
      terms_->Named("narrow:" + std::to_string(t.bits()) + Key(value), std::move(info));
  SymbolInfo& made = (*symbols_)[either.terms()[0].first];
  made.definition = Or({Eq(either, value), Eq(either, wrapped)});
  return either;
}

// A coefficient beyond 64 bits makes the term that needs it opaque, no more.
LinearExpr Converter::Int(const PrimExpr& e, const Lane& lane) {
  try {
    return Linear(e, lane);
  } catch (const CoefficientOverflow&) {
    return Far(e, lane);
  }
}

Formula Converter::Bool(const PrimExpr& e, const Lane& lane) {
  const int outer = machine_++;
  Formula out;
  try {
    out = Condition(e, lane);
  } catch (const CoefficientOverflow&) {
    out = Ge(Unknown(e), 1);
  }
  machine_ = outer;
  return out;
}

LinearExpr Converter::Unknown(const PrimExpr& e) {
  SymbolInfo info;
  info.name = "?" + std::to_string(symbols_->size());
  const Interval bounds = TypeBounds(e.dtype());
  info.lo = bounds.lo;
  info.hi = bounds.hi;
  return LinearExpr::Symbol(symbols_->Add(std::move(info)));
}

LinearExpr Converter::Linear(const PrimExpr& e, const Lane& lane) {
  if (const auto* op = e.as<IntImmNode>()) return op->value;
  if (const auto* op = e.as<VarNode>()) {
    auto known = ints_.find(op);
    if (known != ints_.end()) return known->second;
    auto truth = bools_.find(op);
    if (truth != bools_.end()) return terms_->Truth(truth->second);
    if (op->dtype.lanes() != 1) return Opaque(e, lane);
    return Variable(op, SymbolKind::kShape, TypeBounds(op->dtype));
  }
  if (const auto* op = e.as<AddNode>()) return Int(op->a, lane) + Int(op->b, lane);
  if (const auto* op = e.as<SubNode>()) return Int(op->a, lane) - Int(op->b, lane);
  if (const auto* op = e.as<MulNode>()) return terms_->Multiply(Int(op->a, lane), Int(op->b, lane));
  if (e.dtype().is_bool()) return terms_->Truth(Bool(e, lane));
  if (!IsInteger(e.dtype())) return Opaque(e, lane);
  if (const auto* op = e.as<FloorDivNode>()) {
    return terms_->FloorDiv(Exact(op->a, lane), Exact(op->b, lane));
  }
  if (const auto* op = e.as<FloorModNode>()) {
    return terms_->FloorMod(Exact(op->a, lane), Exact(op->b, lane));
  }
  if (const auto* op = e.as<DivNode>()) {
    return terms_->TruncDiv(Exact(op->a, lane), Exact(op->b, lane));
  }
  if (const auto* op = e.as<ModNode>()) {
    return terms_->TruncMod(Exact(op->a, lane), Exact(op->b, lane));
  }
  if (const auto* op = e.as<MinNode>()) return terms_->Min(Exact(op->a, lane), Exact(op->b, lane));
  if (const auto* op = e.as<MaxNode>()) return terms_->Max(Exact(op->a, lane), Exact(op->b, lane));
  if (const auto* op = e.as<SelectNode>()) {
    return terms_->Choose(Bool(op->condition, lane), Int(op->true_value, lane),
                          Int(op->false_value, lane));
  }
  if (const auto* op = e.as<CastNode>()) return Cast(op, lane);
  if (const auto* op = e.as<RampNode>()) {
    const LinearExpr base = Int(op->base, lane);
    const LinearExpr stride = Int(op->stride, lane);
    // By a stride that is not known the lanes are told apart: exact, where a product is not.
    constexpr int kMostLanes = 8;
    const int lanes = e.dtype().lanes();
    if (stride.IsConstant() || lane.index.IsConstant() || lanes > kMostLanes) {
      return base + terms_->Multiply(lane.index, stride);
    }
    LinearExpr step = stride * (lanes - 1);
    for (int i = lanes - 1; i-- > 0;) step = terms_->Choose(Eq(lane.index, i), stride * i, step);
    return base + step;
  }
  if (const auto* op = e.as<BroadcastNode>()) return Int(op->value, lane);
  if (const auto* op = e.as<ShuffleNode>()) return Shuffle(op, lane);
  if (const auto* op = e.as<LetNode>()) {
    Bind(op->var.get(), Exact(op->value, lane));
    return Int(op->body, lane);
  }
  if (const auto* op = e.as<BufferLoadNode>()) return Load(op, lane);
  if (const auto* op = e.as<CallNode>()) return Call(op, lane);
  return Opaque(e, lane);
}

LinearExpr Converter::Cast(const CastNode* op, const Lane& lane) {
  const DataType from = op->value.dtype();
  if (!IsInteger(from)) return Opaque(tvm::ffi::GetRef<PrimExpr>(op), lane);
  const LinearExpr value = Exact(op->value, lane);
  const DataType to = op->dtype;
  if (to.is_bool()) return terms_->Truth(Not(EqZero(value)));
  const bool widens = from.is_int() == to.is_int() && to.bits() >= from.bits();
  return widens ? value : terms_->Wrap(value, to.bits(), to.is_int());
}

LinearExpr Converter::Shuffle(const ShuffleNode* op, const Lane& lane) {
  std::vector<LinearExpr> elements;
  for (const PrimExpr& vector : op->vectors) {
    for (int i = 0; i < vector.dtype().lanes(); ++i) elements.push_back(Int(vector, Lane{i}));
  }
  std::vector<LinearExpr> picked;
  for (const PrimExpr& index : op->indices) {
    const LinearExpr i = Int(index);
    if (!i.IsConstant() || i.constant() < 0 ||
        i.constant() >= static_cast<int64_t>(elements.size())) {
      return Opaque(tvm::ffi::GetRef<PrimExpr>(op), lane);
    }
    picked.push_back(elements[static_cast<size_t>(i.constant())]);
  }
  if (lane.index.IsConstant()) return picked.at(static_cast<size_t>(lane.index.constant()));
  LinearExpr value = picked.back();
  for (size_t i = picked.size() - 1; i-- > 0;) {
    value = terms_->Choose(Eq(lane.index, static_cast<int64_t>(i)), picked[i], value);
  }
  return value;
}

LinearExpr Converter::Load(const BufferLoadNode* op, const Lane& lane) {
  // One symbol for one location at one epoch; its type bounds what it can hold.
  SymbolInfo info;
  info.name = std::string(op->buffer->name) + "[";
  info.kind = SymbolKind::kMemory;
  const Interval bounds = TypeBounds(op->buffer->dtype);
  info.lo = bounds.lo;
  info.hi = bounds.hi;
  std::ostringstream key;
  key << "load" << ViewKey(op->buffer, lane) << "@" << memory_->Epoch(op->buffer);
  for (size_t i = 0; i < op->indices.size(); ++i) {
    const LinearExpr index = Int(op->indices[i], lane);
    key << "[" << Key(index);
    info.name += (i == 0 ? "" : ", ") + ToString(index, *symbols_);
  }
  info.name += "]";
  return terms_->Named(key.str(), std::move(info));
}

// Two views of one memory read one place at equal indices only when they are laid out alike.
std::string Converter::ViewKey(const Buffer& buffer, const Lane& lane) {
  std::ostringstream key;
  key << buffer->data.get() << buffer->dtype;
  if (!is_zero(buffer->elem_offset)) key << "+" << Key(Int(buffer->elem_offset, lane));
  const bool compact = buffer->strides.empty();
  const auto& steps = compact ? buffer->shape : buffer->strides;
  for (size_t d = compact ? 1 : 0; d < steps.size(); ++d) key << "x" << Key(Int(steps[d], lane));
  return key.str();
}

LinearExpr Converter::Bitwise(const CallNode* op, const std::string& name, const Lane& lane) {
  const PrimExpr whole = tvm::ffi::GetRef<PrimExpr>(op);
  LinearExpr a = Exact(op->args[0], lane);
  if (name == "tirx.bitwise_not") {
    const DataType t = op->dtype;
    if (t.is_int() && t.bits() >= 32) return -a - 1;
    if (t.is_uint() && t.bits() == 32) return -a + ((int64_t{1} << 32) - 1);
    return Unknown(whole);  // C computes it in `int`
  }
  LinearExpr b = Exact(op->args[1], lane);
  if (name == "tirx.shift_left") {
    if (b.IsConstant() && b.constant() >= 0 && b.constant() < 62) {
      return a * (int64_t{1} << b.constant());
    }
    // Beyond its type: bits may be lost, and then guard and address are to be computed wide.
    SymbolInfo info;
    info.name = "?" + std::to_string(symbols_->size());
    if (op->dtype.bits() <= 32) {
      info.lo = -(int64_t{1} << 62);
      info.hi = int64_t{1} << 62;
    }
    const LinearExpr shifted = terms_->Named("shl" + Key(a) + "," + Key(b), std::move(info));
    (*symbols_)[shifted.terms()[0].first].definition = Or({Ge(-1, a), Ge(-1, b), Ge(shifted, a)});
    return shifted;
  }
  if (name == "tirx.shift_right") {
    if (!b.IsConstant() || b.constant() < 0 || b.constant() > 61) return Opaque(whole, lane);
    return terms_->FloorDiv(a, int64_t{1} << b.constant());
  }
  if (a.IsConstant()) std::swap(a, b);
  if (b.IsConstant()) {
    if (const std::optional<LinearExpr> common = terms_->BitAnd(a, b.constant())) {
      if (name == "tirx.bitwise_and") return *common;
      return a + b - (name == "tirx.bitwise_xor" ? *common * 2 : *common);
    }
  }
  const LinearExpr result = Opaque(whole, lane);
  if (result.terms().size() == 1) BoundBits(name, a, b, result);
  return result;
}

// What holds of the bits of two numbers that are not negative.
void Converter::BoundBits(const std::string& name, const LinearExpr& a, const LinearExpr& b,
                          const LinearExpr& result) {
  const Interval ba = BoxBounds(a, *symbols_);
  const Interval bb = BoxBounds(b, *symbols_);
  const bool a_natural = ba.lo && *ba.lo >= 0;
  const bool b_natural = bb.lo && *bb.lo >= 0;
  SymbolInfo& info = (*symbols_)[result.terms()[0].first];
  std::vector<Formula> bounds;
  if (name == "tirx.bitwise_and") {
    // x & y <= y for y >= 0, whatever x, and never negative
    if (!a_natural && !b_natural) return;
    if (a_natural) bounds.push_back(Ge(a, result));
    if (b_natural) bounds.push_back(Ge(b, result));
  } else {
    if (!a_natural || !b_natural) return;
    // x | y and x ^ y of numbers below 2^k stay below 2^k
    const bool small = ba.hi && bb.hi && std::max(*ba.hi, *bb.hi) < int64_t{1} << 61;
    if (small) info.hi = (int64_t{1} << Log2(std::max(*ba.hi, *bb.hi) + 1)) - 1;
    bounds.push_back(Ge(a + b, result));
    const bool exclusive = name == "tirx.bitwise_xor";
    bounds.push_back(Ge(result, exclusive ? a - b : a));
    bounds.push_back(Ge(result, exclusive ? b - a : b));
  }
  info.lo = 0;
  info.definition = And(std::move(bounds));
}

LinearExpr Converter::Call(const CallNode* op, const Lane& lane) {
  const std::string name = OpName(op);
  if (name == "tirx.if_then_else") {
    return terms_->Choose(Bool(op->args[0], lane), Int(op->args[1], lane), Int(op->args[2], lane));
  }
  if (name == "tirx.likely") return Int(op->args[0], lane);
  if (name.rfind("tirx.shift_", 0) == 0 || name.rfind("tirx.bitwise_", 0) == 0) {
    return Bitwise(op, name, lane);
  }
  if (name == "tirx.fabs" || name == "tirx.abs") {
    const LinearExpr a = Exact(op->args[0], lane);
    return terms_->Max(a, -a);
  }
  if (name == "tl.clamp") {
    const LinearExpr low = Exact(op->args[1], lane);
    return terms_->Min(terms_->Max(Exact(op->args[0], lane), low), Exact(op->args[2], lane));
  }
  return Opaque(tvm::ffi::GetRef<PrimExpr>(op), lane);
}

LinearExpr Converter::Opaque(const PrimExpr& e, const Lane& lane) {
  SymbolInfo info;
  info.name = "?" + std::to_string(symbols_->size());
  info.kind = IsPure(e) ? SymbolKind::kOpaque : SymbolKind::kMemory;
  Interval bounds = TypeBounds(e.dtype());
  if (const std::optional<int64_t> largest = LargestOf(e.as<CallNode>())) bounds = {0, largest};
  info.lo = bounds.lo;
  info.hi = bounds.hi;
  return terms_->Named(TermKey(e, lane), std::move(info));
}

std::string Converter::TermKey(const PrimExpr& e, const Lane& lane) {
  if (!IsPure(e)) return "effect" + std::to_string(++fresh_);
  return PrintTermKey(
             e, [&](const PrimExpr& inner) { return Key(Int(inner, lane)); },
             [&](const PrimExpr& inner) { return Key(Bool(inner, lane)); },
             [&](const Buffer& buffer) {
               return ViewKey(buffer, lane) + "@" + memory_->Epoch(buffer);
             }) +
         (e.dtype().lanes() == 1 ? "" : "/" + Key(lane.index));
}

}  // namespace tileguard

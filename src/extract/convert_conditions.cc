// The part of the conversion that makes formulas of conditions.
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "converter.h"
#include "pointer_ops.h"
#include "simplify.h"

namespace tileguard {

namespace {

using tvm::DataType;
using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

// The truth of a comparison between floating-point numbers without any variable, as the host folds
// it.
std::optional<bool> ClosedTruth(const PrimExpr& a, const PrimExpr& b, const std::string& op) {
  bool closed = true;
  auto see = [&closed](const tvm::ffi::ObjectRef& object) {
    const bool reads = object.as<VarNode>() != nullptr || object.as<BufferLoadNode>() != nullptr ||
                       object.as<CallNode>() != nullptr;
    closed = closed && !reads;
  };
  PostOrderVisit(a, see);
  PostOrderVisit(b, see);
  if (!closed || a.dtype().lanes() != 1 || b.dtype().lanes() != 1) return std::nullopt;
  const PrimExpr folded = Simplified(op == "<"    ? PrimExpr(LT(a, b))
                                     : op == "<=" ? PrimExpr(LE(a, b))
                                                  : PrimExpr(EQ(a, b)));
  const auto* truth = folded.as<tvm::IntImmNode>();
  return truth == nullptr ? std::nullopt : std::optional<bool>(truth->value != 0);
}

}  // namespace

// May the value be anything the type can hold? Block, thread and loop variables stay where the
// launch put them, and shapes are those of real buffers; what is read or handed in can be.
bool Converter::IsArbitrary(SymbolId id) const {
  const SymbolInfo& info = (*symbols_)[id];
  if (info.meaning.kind == Meaning::Kind::kFree) {
    return info.kind == SymbolKind::kMemory || info.kind == SymbolKind::kOpaque ||
           (info.kind == SymbolKind::kShape && arguments_.count(id) != 0);
  }
  return HoldsArbitrary(info.meaning.a) || HoldsArbitrary(info.meaning.b);
}

bool Converter::HoldsArbitrary(const LinearExpr& e) const {
  return std::any_of(e.terms().begin(), e.terms().end(),
                     [this](const LinearExpr::Term& t) { return IsArbitrary(t.first); });
}

// An operand of a comparison as the machine has it: a sum with an arbitrary value in it wraps.
LinearExpr Converter::Compared(const PrimExpr& e, const Lane& lane) {
  const LinearExpr value = Exact(e, lane);
  const DataType t = e.dtype();
  if (!t.is_int() || t.bits() != 32 || !HoldsArbitrary(value)) return value;
  const LinearExpr wrapped = terms_->Wrap(value, 32, true);
  if (wrapped != value) wraps_ = true;
  return wrapped;
}

Formula Converter::Compare(const PrimExpr& a, const PrimExpr& b, const char* op, const Lane& lane) {
  const std::string kind = op;
  if (!IsInteger(a.dtype()) || !IsInteger(b.dtype())) {
    if (std::optional<bool> truth = ClosedTruth(a, b, kind)) return *truth ? True() : False();
    SymbolInfo info;
    info.name = "?" + std::to_string(symbols_->size());
    info.lo = 0;
    info.hi = 1;
    const LinearExpr truth =
        terms_->Named(kind + TermKey(a, lane) + "|" + TermKey(b, lane), std::move(info));
    return Ge(truth, 1);
  }
  const LinearExpr x = Compared(a, lane);
  const LinearExpr y = Compared(b, lane);
  if (kind == "<") return Lt(x, y);
  if (kind == "<=") return Ge(y, x);
  return Eq(x, y);
}

Formula Converter::Condition(const PrimExpr& e, const Lane& lane) {
  if (const auto* op = e.as<IntImmNode>()) return op->value != 0 ? True() : False();
  if (const auto* op = e.as<VarNode>()) {
    auto known = bools_.find(op);
    if (known != bools_.end()) return known->second;
    return Not(EqZero(Int(e, lane)));
  }
  if (const auto* op = e.as<LTNode>()) return Compare(op->a, op->b, "<", lane);
  if (const auto* op = e.as<LENode>()) return Compare(op->a, op->b, "<=", lane);
  if (const auto* op = e.as<GTNode>()) return Compare(op->b, op->a, "<", lane);
  if (const auto* op = e.as<GENode>()) return Compare(op->b, op->a, "<=", lane);
  if (const auto* op = e.as<EQNode>()) return Compare(op->a, op->b, "==", lane);
  if (const auto* op = e.as<NENode>()) return Not(Compare(op->a, op->b, "==", lane));
  if (const auto* op = e.as<AndNode>()) return And({Bool(op->a, lane), Bool(op->b, lane)});
  if (const auto* op = e.as<OrNode>()) return Or({Bool(op->a, lane), Bool(op->b, lane)});
  if (const auto* op = e.as<NotNode>()) return Not(Bool(op->a, lane));
  if (const auto* op = e.as<SelectNode>()) {
    const Formula c = Bool(op->condition, lane);
    return Or({And({c, Bool(op->true_value, lane)}), And({Not(c), Bool(op->false_value, lane)})});
  }
  if (const auto* op = e.as<CastNode>()) {
    if (IsInteger(op->value.dtype())) return Not(EqZero(Exact(op->value, lane)));
  }
  if (const auto* op = e.as<BroadcastNode>()) return Bool(op->value, lane);
  if (const auto* op = e.as<LetNode>()) {
    if (IsInteger(op->value.dtype())) Bind(op->var.get(), Exact(op->value, lane));
    return Bool(op->body, lane);
  }
  if (const auto* op = e.as<BufferLoadNode>()) return Not(EqZero(Load(op, lane)));
  if (const auto* op = e.as<CallNode>()) {
    const std::string name = OpName(op);
    if (name == "tirx.likely") return Bool(op->args[0], lane);
    if (name == "tirx.if_then_else") {
      const Formula c = Bool(op->args[0], lane);
      return Or({And({c, Bool(op->args[1], lane)}), And({Not(c), Bool(op->args[2], lane)})});
    }
    if (name == "tirx.bitwise_and" && op->dtype.is_bool()) {
      return And({Bool(op->args[0], lane), Bool(op->args[1], lane)});
    }
    if (name == "tirx.bitwise_or" && op->dtype.is_bool()) {
      return Or({Bool(op->args[0], lane), Bool(op->args[1], lane)});
    }
  }
  return Ge(Opaque(e, lane), 1);
}

}  // namespace tileguard

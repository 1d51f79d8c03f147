#include <tvm/tirx/expr.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "converter.h"
#include "pointer_ops.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

bool IsMasked(const PrimExpr& e) {
  const auto* call = e.as<CallNode>();
  if (call == nullptr || OpName(call) != "tirx.bitwise_and") return false;
  const auto* mask = call->args[1].as<IntImmNode>();
  return mask != nullptr && mask->value >= 0;
}

}  // namespace

// Arithmetic that leaves 64 bits somewhere has no upper bound, its type's least of all. The same
// factors make the same product, in whatever type they are written.
LinearExpr Converter::Far(const PrimExpr& e, const Lane& lane) {
  const auto* product = e.as<MulNode>();
  std::string key = "far";
  SymbolInfo info;
  info.name = "?" + std::to_string(symbols_->size());
  if (product != nullptr) {
    const std::array<LinearExpr, 2> values{Int(product->a, lane), Int(product->b, lane)};
    auto positive = [this](const LinearExpr& value, const PrimExpr& factor) {
      const auto* cast = factor.as<CastNode>();
      const Interval bounds = BoxBounds(value, *symbols_);
      return (bounds.lo && *bounds.lo >= 0) || (cast != nullptr && cast->dtype.is_uint()) ||
             IsMasked(factor);
    };
    if (positive(values[0], product->a) && positive(values[1], product->b)) info.lo = 0;
    std::array<std::string, 2> factors{Key(values[0]), Key(values[1])};
    std::sort(factors.begin(), factors.end());
    key += "(" + factors[0] + ")*(" + factors[1] + ")";
  } else {
    key += TermKey(e, lane);
  }
  return terms_->Named(key, std::move(info));
}

}  // namespace tileguard

#include "width.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tileguard {

namespace {

constexpr double kLimit = 9223372036854775808.0;  // 2^63
constexpr double kSize = 2147483648.0;            // 2^31
// A size rounded up to tiles: what facts about blocks say of `block * tile + i`.
constexpr int64_t kRounded = (int64_t{1} << 31) + (int64_t{1} << 20);

class Magnitude {
 public:
  Magnitude(const SymbolTable& symbols, const AccessQuery& query, const std::vector<Formula>& extra,
            Prover* prover)
      : symbols_(symbols), query_(query), extra_(extra), prover_(prover) {}

  // An upper bound of |e|; infinite when something on the way may leave 64 bits.
  double Of(const LinearExpr& e) const {
    double sum = std::abs(static_cast<double>(e.constant()));
    for (const LinearExpr::Term& t : e.terms()) {
      sum += std::abs(static_cast<double>(t.second)) * OfSymbol(symbols_[t.first]);
    }
    return sum;
  }

  // The same, helped by the facts where the symbols' own bounds say too little.
  double OfFactor(const LinearExpr& e) const {
    const double plain = Of(e);
    if (plain <= static_cast<double>(kRounded)) return plain;
    return Within(e, -kRounded, kRounded) ? static_cast<double>(kRounded) : plain;
  }

  bool Within(const LinearExpr& e, int64_t lo, int64_t hi) const {
    return prover_->Implies(query_.facts, Ge(e, lo), extra_).Holds() &&
           prover_->Implies(query_.facts, Ge(LinearExpr(hi), e), extra_).Holds();
  }

 private:
  double OfSymbol(const SymbolInfo& info) const {
    const double own = OwnBounds(info);
    switch (info.meaning.kind) {
      case Meaning::Kind::kFree:
        return own;
      case Meaning::Kind::kProduct:
        return std::min(own, OfFactor(info.meaning.a) * OfFactor(info.meaning.b));
      case Meaning::Kind::kQuotient: {
        // The operand is computed too, whatever is left of it.
        const double operand = OfFactor(info.meaning.a);
        return operand < kLimit ? std::min(own, operand) : operand;
      }
      case Meaning::Kind::kChoice:
        return std::min(own, std::max(OfFactor(info.meaning.a), OfFactor(info.meaning.b)));
    }
    return own;
  }

  static double OwnBounds(const SymbolInfo& info) {
    const bool known = info.kind != SymbolKind::kMemory && info.kind != SymbolKind::kOpaque &&
                       info.kind != SymbolKind::kDerived;
    const double missing = info.meaning.kind != Meaning::Kind::kFree
                               ? std::numeric_limits<double>::infinity()
                               : (known ? kSize : kLimit);
    const double lo = info.lo ? std::abs(static_cast<double>(*info.lo)) : missing;
    const double hi = info.hi ? std::abs(static_cast<double>(*info.hi)) : missing;
    return std::max(lo, hi);
  }

  const SymbolTable& symbols_;
  const AccessQuery& query_;
  const std::vector<Formula>& extra_;
  Prover* prover_;
};

}  // namespace

bool MayLeave64Bits(const LinearExpr& e, const SymbolTable& symbols, const AccessQuery& query,
                    const std::vector<Formula>& extra, Prover* prover) {
  const Magnitude magnitude(symbols, query, extra, prover);
  if (magnitude.Of(e) < kLimit) return false;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 2;
  return !magnitude.Within(e, -kMost, kMost);
}

}  // namespace tileguard

#include "linear.h"

#include <algorithm>

namespace tileguard {

int64_t CheckedAdd(int64_t a, int64_t b) {
  int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) throw CoefficientOverflow();
  return out;
}

int64_t CheckedMul(int64_t a, int64_t b) {
  int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) throw CoefficientOverflow();
  return out;
}

int64_t FloorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return (a % b != 0 && a < 0) ? quotient - 1 : quotient;
}

LinearExpr LinearExpr::Symbol(SymbolId symbol, int64_t coefficient) {
  LinearExpr e;
  if (coefficient != 0) e.terms_.emplace_back(symbol, coefficient);
  return e;
}

int64_t LinearExpr::Coefficient(SymbolId symbol) const {
  auto at = std::lower_bound(terms_.begin(), terms_.end(), symbol,
                             [](const Term& t, SymbolId s) { return t.first < s; });
  return at != terms_.end() && at->first == symbol ? at->second : 0;
}

LinearExpr LinearExpr::Substitute(SymbolId symbol, const LinearExpr& value) const {
  int64_t coefficient = Coefficient(symbol);
  if (coefficient == 0) return *this;
  return *this - Symbol(symbol, coefficient) + value * coefficient;
}

size_t LinearExpr::Hash() const {
  size_t h = std::hash<int64_t>()(constant_);
  auto mix = [&h](size_t v) { h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2); };
  for (const Term& t : terms_) {
    mix(std::hash<int64_t>()(t.first));
    mix(std::hash<int64_t>()(t.second));
  }
  return h;
}

LinearExpr operator+(const LinearExpr& a, const LinearExpr& b) {
  LinearExpr out;
  out.constant_ = CheckedAdd(a.constant_, b.constant_);
  out.terms_.reserve(a.terms_.size() + b.terms_.size());
  auto i = a.terms_.begin();
  auto j = b.terms_.begin();
  while (i != a.terms_.end() || j != b.terms_.end()) {
    if (j == b.terms_.end() || (i != a.terms_.end() && i->first < j->first)) {
      out.terms_.push_back(*i++);
    } else if (i == a.terms_.end() || j->first < i->first) {
      out.terms_.push_back(*j++);
    } else {
      int64_t sum = CheckedAdd(i->second, j->second);
      if (sum != 0) out.terms_.emplace_back(i->first, sum);
      ++i;
      ++j;
    }
  }
  return out;
}

LinearExpr operator*(const LinearExpr& a, int64_t factor) {
  LinearExpr out;
  if (factor == 0) return out;
  out.constant_ = CheckedMul(a.constant_, factor);
  out.terms_ = a.terms_;
  for (LinearExpr::Term& t : out.terms_) t.second = CheckedMul(t.second, factor);
  return out;
}

LinearExpr operator-(const LinearExpr& a, const LinearExpr& b) { return a + b * -1; }

}  // namespace tileguard

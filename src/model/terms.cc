#include "terms.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tileguard {

std::string Key(const LinearExpr& e) {
  std::string out = std::to_string(e.constant());
  for (const LinearExpr::Term& t : e.terms()) {
    out += "," + std::to_string(t.second) + "s" + std::to_string(t.first);
  }
  return out;
}

std::string Key(const Formula& f) {
  std::string out = std::to_string(static_cast<int>(f.kind)) + "(" + Key(f.expr);
  for (const Formula& a : f.args) out += ";" + Key(a);
  return out + ")";
}

SymbolId Terms::Derived(const char* stem, Interval bounds, Formula definition, SymbolKind kind) {
  SymbolInfo info;
  info.name = stem + std::to_string(symbols_->size());
  info.kind = kind;
  info.lo = bounds.lo;
  info.hi = bounds.hi;
  info.definition = std::move(definition);
  return symbols_->Add(std::move(info));
}

LinearExpr Terms::Named(const std::string& key, SymbolInfo info) {
  auto found = named_.find(key);
  if (found != named_.end()) return LinearExpr::Symbol(found->second);
  const SymbolId id = symbols_->Add(std::move(info));
  named_.emplace(key, id);
  return LinearExpr::Symbol(id);
}

Formula::Kind Terms::BoxDecide(const Formula& f) const {
  switch (f.kind) {
    case Formula::Kind::kGeZero: {
      const Interval b = BoxBounds(f.expr, *symbols_);
      if (b.lo && *b.lo >= 0) return Formula::Kind::kTrue;
      if (b.hi && *b.hi < 0) return Formula::Kind::kFalse;
      return f.kind;
    }
    case Formula::Kind::kEqZero: {
      const Interval b = BoxBounds(f.expr, *symbols_);
      if ((b.lo && *b.lo > 0) || (b.hi && *b.hi < 0)) return Formula::Kind::kFalse;
      return f.kind;
    }
    case Formula::Kind::kAnd:
    case Formula::Kind::kOr: {
      const auto stop =
          f.kind == Formula::Kind::kAnd ? Formula::Kind::kFalse : Formula::Kind::kTrue;
      const auto pass =
          f.kind == Formula::Kind::kAnd ? Formula::Kind::kTrue : Formula::Kind::kFalse;
      bool all_pass = true;
      for (const Formula& a : f.args) {
        const Formula::Kind kind = BoxDecide(a);
        if (kind == stop) return stop;
        all_pass = all_pass && kind == pass;
      }
      return all_pass ? pass : f.kind;
    }
    default:
      return f.kind;
  }
}

// floor((g*X + r) / (g*m)) = floor((X + k) / m) when k*g <= r < k*g + g: a lane below the
// granularity of the rest drops out, and indices of different lanes become the same expression.
std::optional<LinearExpr> Terms::DropRemainder(const LinearExpr& a, int64_t divisor) {
  std::vector<int64_t> candidates;
  for (const LinearExpr::Term& t : a.terms()) {
    const int64_t g = std::gcd(t.second % divisor, divisor);
    if (g > 1 && std::find(candidates.begin(), candidates.end(), g) == candidates.end()) {
      candidates.push_back(g);
    }
  }
  std::sort(candidates.rbegin(), candidates.rend());
  for (int64_t g : candidates) {
    LinearExpr multiple;
    LinearExpr remainder = a.constant();
    for (const LinearExpr::Term& t : a.terms()) {
      if (t.second % g == 0) {
        multiple = multiple + LinearExpr::Symbol(t.first, t.second / g);
      } else {
        remainder = remainder + LinearExpr::Symbol(t.first, t.second);
      }
    }
    const Interval box = BoxBounds(remainder, *symbols_);
    if (!box.lo || !box.hi || FloorDivide(*box.lo, g) != FloorDivide(*box.hi, g)) continue;
    return QuotientByConstant(multiple + LinearExpr(FloorDivide(*box.lo, g)), divisor / g);
  }
  return std::nullopt;
}

// q with c*q <= a < c*q + c. Exact multiples of c in `a` divide out, so (8*i + v) / 8 is i + v/8.
LinearExpr Terms::QuotientByConstant(const LinearExpr& a, int64_t divisor) {
  if (divisor == 1) return a;
  LinearExpr whole;
  LinearExpr rest;
  for (const LinearExpr::Term& t : a.terms()) {
    if (t.second % divisor == 0) {
      whole = whole + LinearExpr::Symbol(t.first, t.second / divisor);
    } else {
      rest = rest + LinearExpr::Symbol(t.first, t.second);
    }
  }
  const int64_t quotient = FloorDivide(a.constant(), divisor);
  whole = whole + LinearExpr(quotient);
  rest = rest + LinearExpr(CheckedAdd(a.constant(), CheckedMul(quotient, -divisor)));
  if (rest.IsConstant()) return whole;
  const Interval box = BoxBounds(rest, *symbols_);
  if (box.lo && box.hi && FloorDivide(*box.lo, divisor) == FloorDivide(*box.hi, divisor)) {
    return whole + LinearExpr(FloorDivide(*box.lo, divisor));
  }
  if (std::optional<LinearExpr> smaller = DropRemainder(rest, divisor)) return whole + *smaller;
  const std::string key = "div" + std::to_string(divisor) + ":" + Key(rest);
  auto found = named_.find(key);
  if (found != named_.end()) return whole + LinearExpr::Symbol(found->second);
  Interval bounds;
  if (box.lo) bounds.lo = FloorDivide(*box.lo, divisor);
  if (box.hi) bounds.hi = FloorDivide(*box.hi, divisor);
  const SymbolId q = Derived("q", bounds, True(), SymbolKind::kDerived);
  const LinearExpr remainder = rest - LinearExpr::Symbol(q, divisor);
  (*symbols_)[q].definition = And({GeZero(remainder), Lt(remainder, divisor)});
  (*symbols_)[q].meaning = {Meaning::Kind::kQuotient, rest, divisor, {}};
  named_.emplace(key, q);
  return whole + LinearExpr::Symbol(q);
}

// q and p = q*b with 0 <= a - p < b for b > 0 and b < a - p <= 0 for b < 0; nothing at b = 0, where
// the program has no meaning.
LinearExpr Terms::QuotientBySymbols(const LinearExpr& a, const LinearExpr& b) {
  const std::string key = "div:" + Key(a) + "/" + Key(b);
  auto found = named_.find(key);
  if (found != named_.end()) return LinearExpr::Symbol(found->second);
  const SymbolId q = Derived("q", {}, True(), SymbolKind::kOpaque);
  named_.emplace(key, q);
  LinearExpr quotient = LinearExpr::Symbol(q);
  const LinearExpr rest = a - Multiply(quotient, b);
  const Formula definition = Or({And({Ge(b, 1), GeZero(rest), Lt(rest, b)}),
                                 And({Ge(-1, b), GeZero(-rest), Lt(b, rest)}), EqZero(b)});
  (*symbols_)[q].definition = definition;
  (*symbols_)[q].meaning = {Meaning::Kind::kQuotient, a, b, {}};
  return quotient;
}

LinearExpr Terms::FloorDiv(const LinearExpr& a, const LinearExpr& b) {
  if (!b.IsConstant()) return QuotientBySymbols(a, b);
  if (b.constant() > 0) return QuotientByConstant(a, b.constant());
  if (b.constant() < 0) return QuotientByConstant(-a, CheckedMul(b.constant(), -1));
  return LinearExpr::Symbol(Derived("undefined", {}, True(), SymbolKind::kOpaque));
}

LinearExpr Terms::FloorMod(const LinearExpr& a, const LinearExpr& b) {
  return a - Multiply(FloorDiv(a, b), b);
}

std::optional<LinearExpr> Terms::BitAnd(const LinearExpr& a, int64_t mask) {
  constexpr int kMaxRuns = 4;  // each costs two quotients
  if (mask < 0) {
    const std::optional<LinearExpr> cleared = BitAnd(a, ~mask);
    if (!cleared) return std::nullopt;
    return a - *cleared;
  }
  LinearExpr out;
  int runs = 0;
  for (int low = 0; mask >> low != 0;) {
    if ((mask >> low & 1) == 0) {
      ++low;
      continue;
    }
    int high = low;
    while ((mask >> high & 1) != 0) ++high;
    if (++runs > kMaxRuns || high > 61) return std::nullopt;
    // The bits from `low` up to `high` are what is below `high` less what is below `low`.
    out = out + FloorMod(a, int64_t{1} << high);
    if (low > 0) out = out - FloorMod(a, int64_t{1} << low);
    low = high;
  }
  return out;
}

LinearExpr Terms::TruncDiv(const LinearExpr& a, const LinearExpr& b) {
  LinearExpr down = FloorDiv(a, b);
  const Formula same_sign = Or({And({GeZero(a), GeZero(b)}), And({GeZero(-a), GeZero(-b)})});
  if (BoxDecide(same_sign) == Formula::Kind::kTrue) return down;
  return Choose(same_sign, down, -FloorDiv(-a, b));
}

LinearExpr Terms::TruncMod(const LinearExpr& a, const LinearExpr& b) {
  return a - Multiply(TruncDiv(a, b), b);
}

Terms::Monomial Terms::FactorsOf(SymbolId s) const {
  auto found = factors_.find(s);
  return found == factors_.end() ? Monomial{s} : found->second;
}

LinearExpr Terms::Multiply(const LinearExpr& a, const LinearExpr& b) {
  if (a.IsConstant()) return b * a.constant();
  if (b.IsConstant()) return a * b.constant();
  LinearExpr out =
      b * a.constant() + a * b.constant() - LinearExpr(CheckedMul(a.constant(), b.constant()));
  for (const LinearExpr::Term& x : a.terms()) {
    for (const LinearExpr::Term& y : b.terms()) {
      Monomial factors = FactorsOf(x.first);
      const Monomial more = FactorsOf(y.first);
      factors.insert(factors.end(), more.begin(), more.end());
      std::sort(factors.begin(), factors.end());
      out = out + MonomialSymbol(std::move(factors)) * CheckedMul(x.second, y.second);
    }
  }
  RemainderLemma(a, b, out);
  RemainderLemma(b, a, out);
  DifferenceLemma(a, b, out);
  DifferenceLemma(b, a, out);
  return out;
}

// For a difference d and b >= 0: d*b has the sign of d and is at least as far from zero as b,
// unless d is zero. Expanded, the product no longer shows it.
void Terms::DifferenceLemma(const LinearExpr& d, const LinearExpr& b, const LinearExpr& product) {
  if (d.terms().size() < 2) return;
  const Interval box = BoxBounds(product, *symbols_);
  if ((box.lo && *box.lo >= 0) || (box.hi && *box.hi <= 0)) return;
  for (const LinearExpr::Term& p : product.terms()) {
    if (p.second >= 0 || FactorsOf(p.first).size() < 2) continue;
    Formula& definition = (*symbols_)[p.first].definition;
    definition =
        And({definition, Or({Ge(-1, b), And({EqZero(d), EqZero(product)}),
                             And({Ge(d, 1), Ge(product, b)}), And({Ge(-1, d), Ge(-b, product)})})});
    return;
  }
}

// For a remainder r of a division by the constant c and b >= 0: 0 <= r*b <= (c-1)*b. Expanded over
// the dividend and the quotient, the product no longer shows that it has a sign. `a` is any sum in
// which such a remainder may stand.
void Terms::RemainderLemma(const LinearExpr& a, const LinearExpr& b, const LinearExpr& product) {
  for (const LinearExpr::Term& t : a.terms()) {
    const Meaning meaning = (*symbols_)[t.first].meaning;
    if (meaning.kind != Meaning::Kind::kQuotient || !meaning.b.IsConstant()) continue;
    const int64_t c = meaning.b.constant();
    if (c <= 1 || t.second % c != 0) continue;
    const LinearExpr remainder = meaning.a - LinearExpr::Symbol(t.first) * c;
    if (a != remainder) {
      Multiply(remainder, b);
      continue;
    }
    const Formula lemma = Or({Ge(-1, b), And({GeZero(product), Ge(b * (c - 1), product)})});
    for (const LinearExpr::Term& p : product.terms()) {
      const Monomial factors = FactorsOf(p.first);
      if (std::find(factors.begin(), factors.end(), t.first) == factors.end()) continue;
      Formula& definition = (*symbols_)[p.first].definition;
      definition = And({definition, lemma});
      return;
    }
  }
}

LinearExpr Terms::MonomialSymbol(Monomial factors) {
  auto found = monomials_.find(factors);
  if (found != monomials_.end()) return LinearExpr::Symbol(found->second);
  const SymbolId x = factors.front();
  const LinearExpr rest = factors.size() == 2
                              ? LinearExpr::Symbol(factors[1])
                              : MonomialSymbol(Monomial(factors.begin() + 1, factors.end()));
  const Interval bx = BoxBounds(LinearExpr::Symbol(x), *symbols_);
  const Interval by = BoxBounds(rest, *symbols_);
  Interval bounds;
  int64_t low = 0;
  int64_t high = 0;
  if (bx.lo && by.lo && *bx.lo >= 0 && *by.lo >= 0) {
    bounds.lo = __builtin_mul_overflow(*bx.lo, *by.lo, &low) ? 0 : low;
    if (bx.hi && by.hi && !__builtin_mul_overflow(*bx.hi, *by.hi, &high)) bounds.hi = high;
  }
  const SymbolId product = Derived("p", bounds, True(), SymbolKind::kOpaque);
  monomials_.emplace(factors, product);
  factors_.emplace(product, factors);
  std::vector<Formula> lemmas = MonotonyLemmas(product, factors);
  lemmas.push_back(SignLemma(product, LinearExpr::Symbol(x), rest));
  (*symbols_)[product].definition = And(std::move(lemmas));
  (*symbols_)[product].meaning = {Meaning::Kind::kProduct, LinearExpr::Symbol(x), rest, {}};
  return LinearExpr::Symbol(product);
}

// p = x*y: zero when a factor is zero, else at least as far from zero as either factor.
Formula Terms::SignLemma(SymbolId product, const LinearExpr& x, const LinearExpr& y) const {
  const LinearExpr p = LinearExpr::Symbol(product);
  return Or({And({EqZero(x), EqZero(p)}), And({EqZero(y), EqZero(p)}),
             And({Ge(x, 1), Ge(y, 1), Ge(p, x), Ge(p, y)}),
             And({Ge(-1, x), Ge(y, 1), Ge(-y, p), Ge(x, p)}),
             And({Ge(x, 1), Ge(-1, y), Ge(-x, p), Ge(y, p)}),
             And({Ge(-1, x), Ge(-1, y), Ge(p, -x), Ge(p, -y)})});
}

// p = x*m and r = y*m: x = y gives p = r, and where m >= 0, x < y gives p <= r - m. This is what
// turns `i < n*m` into `i/m < n`.
std::vector<Formula> Terms::MonotonyLemmas(SymbolId product, const Monomial& factors) {
  constexpr size_t kMaxLemmas = 6;
  std::vector<Formula> lemmas;
  const LinearExpr p = LinearExpr::Symbol(product);
  auto without = [](Monomial m, SymbolId s) {
    m.erase(std::find(m.begin(), m.end(), s));
    return m;
  };
  auto value = [this](const Monomial& m) {
    return m.size() == 1 ? LinearExpr::Symbol(m[0]) : MonomialSymbol(m);
  };
  std::vector<std::pair<Monomial, SymbolId>> others(monomials_.begin(), monomials_.end());
  auto grows = [this](SymbolId m) { return (*symbols_)[m].lo.value_or(-1) >= 0; };
  for (const auto& [other, symbol] : others) {
    if (symbol == product || lemmas.size() >= kMaxLemmas) continue;
    // The factor they share, one that is not negative if there is one.
    std::optional<SymbolId> shared;
    for (SymbolId m : factors) {
      const bool both = std::find(other.begin(), other.end(), m) != other.end();
      if (both && (!shared || (grows(m) && !grows(*shared)))) shared = m;
    }
    if (!shared) continue;
    const LinearExpr x = value(without(factors, *shared));
    const LinearExpr y = value(without(other, *shared));
    const LinearExpr r = LinearExpr::Symbol(symbol);
    const LinearExpr m = LinearExpr::Symbol(*shared);
    const bool up = grows(*shared);
    lemmas.push_back(Or({up ? EqZero(m) : False(), And({Lt(x, y), up ? Ge(r - m, p) : True()}),
                         And({Eq(x, y), Eq(p, r)}), And({Lt(y, x), up ? Ge(p - m, r) : True()})}));
  }
  return lemmas;
}

LinearExpr Terms::Choose(const Formula& condition, const LinearExpr& a, const LinearExpr& b) {
  const Formula::Kind decided = BoxDecide(condition);
  if (decided == Formula::Kind::kTrue || a == b) return a;
  if (decided == Formula::Kind::kFalse) return b;
  const std::string key = "ite:" + Key(condition) + "?" + Key(a) + ":" + Key(b);
  auto found = named_.find(key);
  if (found != named_.end()) return LinearExpr::Symbol(found->second);
  const Interval ba = BoxBounds(a, *symbols_);
  const Interval bb = BoxBounds(b, *symbols_);
  Interval bounds;
  if (ba.lo && bb.lo) bounds.lo = std::min(*ba.lo, *bb.lo);
  if (ba.hi && bb.hi) bounds.hi = std::max(*ba.hi, *bb.hi);
  const SymbolId s = Derived("c", bounds, True(), SymbolKind::kDerived);
  LinearExpr chosen = LinearExpr::Symbol(s);
  (*symbols_)[s].meaning = {Meaning::Kind::kChoice, a, b, condition};
  (*symbols_)[s].definition =
      Or({And({condition, Eq(chosen, a)}), And({Not(condition), Eq(chosen, b)})});
  named_.emplace(key, s);
  return chosen;
}

LinearExpr Terms::Min(const LinearExpr& a, const LinearExpr& b) { return Choose(Ge(b, a), a, b); }
LinearExpr Terms::Max(const LinearExpr& a, const LinearExpr& b) { return Choose(Ge(a, b), a, b); }

// 64 unsigned bits, whose size no coefficient holds: what is negative becomes at least 2^62, of
// which INT64_MAX stands for all. Nothing but the sign is said of what 64 signed bits do not hold
// with room to spare.
LinearExpr Terms::WrapWide(const LinearExpr& a) {
  constexpr int64_t kFar = int64_t{1} << 62;
  const Interval box = BoxBounds(a, *symbols_);
  if (box.lo && *box.lo >= 0) return a;
  SymbolInfo info;
  info.name = "u" + std::to_string(symbols_->size());
  info.kind = SymbolKind::kDerived;
  info.lo = 0;
  LinearExpr wrapped = Named("uint64:" + Key(a), std::move(info));
  SymbolInfo& made = (*symbols_)[wrapped.terms()[0].first];
  made.definition = Or({And({GeZero(a), Eq(wrapped, a)}),
                        And({Ge(-1, a), Ge(a, -kFar), Ge(wrapped, kFar)}), Lt(a, -kFar)});
  made.meaning = {Meaning::Kind::kChoice, a, std::numeric_limits<int64_t>::max(), GeZero(a)};
  return wrapped;
}

// a - 2^bits * floor((a - lowest) / 2^bits)
LinearExpr Terms::Wrap(const LinearExpr& a, int bits, bool is_signed) {
  if (bits > 62) return is_signed ? a : WrapWide(a);
  const int64_t size = int64_t{1} << bits;
  const int64_t lowest = is_signed ? -(size / 2) : 0;
  const Interval box = BoxBounds(a, *symbols_);
  if (box.lo && box.hi && *box.lo >= lowest && *box.hi < lowest + size) return a;
  return a - QuotientByConstant(a - LinearExpr(lowest), size) * size;
}

LinearExpr Terms::Truth(const Formula& f) { return Choose(f, 1, 0); }

}  // namespace tileguard

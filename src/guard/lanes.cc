#include "lanes.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tileguard {

namespace {

const Formula& Representative(const LaneQuestion& question, const LaneAnswer& answer) {
  return answer.lane == LaneChoice::kFirst ? question.first : question.last;
}

// No term whose value only follows from a variable's: a choice or a remainder of the lane may be
// anything between the two ends.
bool AllVariables(const LinearExpr& e, const SymbolTable& symbols) {
  return std::all_of(e.terms().begin(), e.terms().end(), [&](const LinearExpr::Term& t) {
    const SymbolKind kind = symbols[t.first].kind;
    return kind != SymbolKind::kDerived && kind != SymbolKind::kOpaque &&
           kind != SymbolKind::kMemory;
  });
}

// The common case without any set: the lane enters as one linear term and the two ends differ in
// their constants only, g*X + a >= 0 and g*X + b >= 0. Then X >= -floor(a/g) and X >= -floor(b/g)
// say the same, for every lane between, when the floors are equal; otherwise the smaller constant
// is the stricter end.
std::optional<LaneAnswer> FreeByDivision(const LaneQuestion& q, const SymbolTable& symbols,
                                         bool* settled) {
  const auto kind = Formula::Kind::kGeZero;
  if (q.each.kind != kind || q.first.kind != kind || q.last.kind != kind) return std::nullopt;
  if (q.first.expr.terms() != q.last.expr.terms()) return std::nullopt;
  const LinearExpr lane = q.each.expr - q.first.expr;
  if (lane.terms().size() > 1 || !AllVariables(lane, symbols)) return std::nullopt;
  int64_t divisor = 0;
  for (const LinearExpr::Term& t : q.first.expr.terms()) divisor = std::gcd(divisor, t.second);
  if (divisor == 0) return std::nullopt;
  const int64_t a = q.first.expr.constant();
  const int64_t b = q.last.expr.constant();
  *settled = FloorDivide(a, divisor) == FloorDivide(b, divisor);
  return LaneAnswer{*settled, a <= b ? LaneChoice::kFirst : LaneChoice::kLast};
}

LaneAnswer FreeOne(const LaneQuestion& q, Prover* prover) {
  if (q.each == q.first && q.each == q.last) return {true, LaneChoice::kFirst};
  bool settled = false;
  const std::optional<LaneAnswer> linear = FreeByDivision(q, prover->symbols(), &settled);
  if (linear && settled) return *linear;
  prover->StartAccess();
  if (linear) {
    // The facts may still make the lanes agree (n % 8 == 0).
    const Formula& strict = linear->lane == LaneChoice::kFirst ? q.first : q.last;
    return {prover->Implies(q.facts, strict, {q.each}).Holds(), linear->lane};
  }
  auto implies = [&](const Formula& a, const Formula& b) {
    return prover->Implies(q.facts, b, {a}).Holds();
  };
  const bool first_suffices = implies(q.first, q.each);
  if (first_suffices && implies(q.each, q.first)) return {true, LaneChoice::kFirst};
  const bool last_suffices = implies(q.last, q.each);
  if (last_suffices && implies(q.each, q.last)) return {true, LaneChoice::kLast};
  if (first_suffices) return {false, LaneChoice::kFirst};
  if (last_suffices) return {false, LaneChoice::kLast};
  return {false, LaneChoice::kEach};
}

}  // namespace

std::vector<LaneAnswer> FreeLanes(const std::vector<LaneQuestion>& questions, Prover* prover) {
  std::vector<LaneAnswer> out;
  out.reserve(questions.size());
  for (const LaneQuestion& q : questions) {
    try {
      out.push_back(FreeOne(q, prover));
    } catch (const CoefficientOverflow&) {
      out.push_back({});
    }
  }
  return out;
}

std::vector<int> SufficientTests(const std::vector<LaneQuestion>& questions,
                                 const std::vector<LaneAnswer>& answers,
                                 const std::vector<int>& tests, Prover* prover) {
  auto at = [](auto& list, int i) -> auto& { return list[static_cast<size_t>(i)]; };
  auto covers = [&](const std::vector<int>& chosen) {
    std::vector<Formula> known;
    known.reserve(chosen.size());
    for (int i : chosen) known.push_back(Representative(at(questions, i), at(answers, i)));
    return std::all_of(tests.begin(), tests.end(), [&](int i) {
      prover->StartAccess();
      return prover->Implies(at(questions, i).facts, at(questions, i).each, known).Holds();
    });
  };
  std::vector<int> chosen;
  for (int i : tests) {
    const Formula& test = Representative(at(questions, i), at(answers, i));
    const bool seen = std::any_of(chosen.begin(), chosen.end(), [&](int j) {
      return Representative(at(questions, j), at(answers, j)) == test;
    });
    if (!seen) chosen.push_back(i);
  }
  for (size_t i = 0; chosen.size() > 1 && i < chosen.size();) {
    std::vector<int> without = chosen;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (covers(without)) {
      chosen = std::move(without);
    } else {
      ++i;
    }
  }
  return chosen;
}

}  // namespace tileguard

#include "explain.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <utility>

namespace tileguard {

namespace {

// A condition on shapes as a formula and as the text a user would write.
struct Candidate {
  Formula formula;
  std::string text;
};

void CollectSymbols(const SymbolTable& symbols, const LinearExpr& e, std::set<SymbolId>* out);

void CollectSymbols(const SymbolTable& symbols, const Formula& f, std::set<SymbolId>* out) {
  ForEachExpr(f, [&](const LinearExpr& e) { CollectSymbols(symbols, e, out); });
}

// The symbols of `e` and those its derived symbols are defined by.
void CollectSymbols(const SymbolTable& symbols, const LinearExpr& e, std::set<SymbolId>* out) {
  for (const LinearExpr::Term& t : e.terms()) {
    if (out->insert(t.first).second) CollectSymbols(symbols, symbols[t.first].definition, out);
  }
}

void CollectConstants(const Formula& f, std::set<int64_t>* out) {
  ForEachExpr(f, [out](const LinearExpr& e) {
    for (const LinearExpr::Term& t : e.terms()) {
      if (t.second != std::numeric_limits<int64_t>::min()) out->insert(std::abs(t.second));
    }
  });
}

class ConditionSearch {
 public:
  ConditionSearch(SymbolTable* symbols, const AccessQuery& query, const std::vector<Formula>& extra,
                  Prover* prover)
      : symbols_(symbols), query_(query), extra_(extra), prover_(prover) {}

  std::optional<std::string> ForBound(const OpenBound& bound, const std::vector<Candidate>& given);
  const std::vector<Candidate>& chosen() const { return chosen_; }

 private:
  bool Suffices(const OpenBound& bound, const Candidate& candidate) const;
  std::vector<Candidate> Candidates(const OpenBound& bound) const;
  Candidate Divides(SymbolId shape, int64_t divisor) const;

  SymbolTable* symbols_;
  const AccessQuery& query_;
  const std::vector<Formula>& extra_;
  Prover* prover_;
  std::vector<Candidate> chosen_;
};

bool ConditionSearch::Suffices(const OpenBound& bound, const Candidate& candidate) const {
  std::vector<Formula> facts = extra_;
  facts.push_back(candidate.formula);
  prover_->StartAccess();
  if (!prover_->Implies(query_.facts, bound.in_bounds, facts).Holds()) return false;
  // A condition that no run meets, with those chosen before, would be true advice and no help.
  for (const Candidate& chosen : chosen_) facts.push_back(chosen.formula);
  prover_->StartAccess();
  return prover_->Satisfiable(query_.facts, facts).answer == Answer::kYes;
}

Candidate ConditionSearch::Divides(SymbolId shape, int64_t divisor) const {
  SymbolInfo quotient;
  quotient.name = (*symbols_)[shape].name + "/" + std::to_string(divisor);
  quotient.kind = SymbolKind::kDerived;
  const SymbolId q = symbols_->Add(std::move(quotient));
  return {EqZero(LinearExpr::Symbol(shape) - LinearExpr::Symbol(q, divisor)),
          (*symbols_)[shape].name + " % " + std::to_string(divisor) + " == 0"};
}

std::vector<Candidate> ConditionSearch::Candidates(const OpenBound& bound) const {
  constexpr int64_t kLargestDivisor = 4096;
  constexpr int64_t kLargestExtent = 1 << 24;
  constexpr size_t kMostDivisors = 24;
  std::set<SymbolId> used;
  std::set<int64_t> constants;
  CollectSymbols(*symbols_, bound.in_bounds, &used);
  CollectConstants(bound.in_bounds, &constants);
  for (const FactNode* node = query_.facts.get(); node != nullptr; node = node->outer.get()) {
    CollectSymbols(*symbols_, node->fact, &used);
    CollectConstants(node->fact, &constants);
  }
  for (SymbolId s : std::set<SymbolId>(used))
    CollectConstants((*symbols_)[s].definition, &constants);
  std::vector<SymbolId> shapes;
  for (SymbolId s : used) {
    if ((*symbols_)[s].kind == SymbolKind::kShape) shapes.push_back(s);
  }
  std::vector<Candidate> out;
  const DimForm& form = query_.dims[static_cast<size_t>(bound.dim)];
  const Interval index = BoxBounds(form.index, *symbols_);
  for (SymbolId s : shapes) {
    const std::string& name = (*symbols_)[s].name;
    out.push_back({Ge(LinearExpr::Symbol(s), 1), name + " >= 1"});
    size_t tried = 0;
    for (int64_t c : constants) {
      if (c >= 2 && c <= kLargestDivisor && tried++ < kMostDivisors) out.push_back(Divides(s, c));
    }
  }
  for (SymbolId s : shapes) {
    if (!index.hi || *index.hi < 1 || *index.hi >= kLargestExtent) continue;
    out.push_back({Ge(LinearExpr::Symbol(s), *index.hi + 1),
                   (*symbols_)[s].name + " >= " + std::to_string(*index.hi + 1)});
  }
  for (SymbolId a : shapes) {
    for (SymbolId b : shapes) {
      if (a == b) continue;
      out.push_back({Ge(LinearExpr::Symbol(b), LinearExpr::Symbol(a)),
                     (*symbols_)[a].name + " <= " + (*symbols_)[b].name});
    }
    if (form.extent.IsConstant()) {
      out.push_back({Ge(form.extent, LinearExpr::Symbol(a)),
                     (*symbols_)[a].name + " <= " + std::to_string(form.extent.constant())});
    }
  }
  return out;
}

std::optional<std::string> ConditionSearch::ForBound(const OpenBound& bound,
                                                     const std::vector<Candidate>& given) {
  for (const Candidate& candidate : given) {
    if (Suffices(bound, candidate)) return "";
  }
  for (const Candidate& candidate : Candidates(bound)) {
    if (!Suffices(bound, candidate)) continue;
    chosen_.push_back(candidate);
    return candidate.text;
  }
  return std::nullopt;
}

}  // namespace

namespace {

int64_t ValueIn(const Assignment& witness, SymbolId s) {
  auto found = witness.find(s);
  return found == witness.end() ? 0 : found->second;
}

// A point at which `question` holds and every product is the product of its factors. Lemmas do not
// say that: where a product is wrong, one factor is fixed at what it has, which makes it linear.
Proof PointWithProducts(const SymbolTable& symbols, const FactList& facts,
                        std::vector<Formula> question, const std::set<SymbolId>& used,
                        Prover* prover) {
  constexpr int kMostProducts = 8;
  for (int round = 0; round <= kMostProducts; ++round) {
    prover->StartAccess();
    Proof proof = prover->Satisfiable(facts, question);
    if (proof.answer != Answer::kYes) return proof;
    auto value = [&proof](SymbolId s) { return ValueIn(proof.witness, s); };
    auto wrong = [&](SymbolId s) {
      const Meaning& meaning = symbols[s].meaning;
      if (meaning.kind != Meaning::Kind::kProduct) return false;
      int64_t product = 0;
      return __builtin_mul_overflow(Evaluate(meaning.a, value), Evaluate(meaning.b, value),
                                    &product) ||
             product != value(s);
    };
    auto found = std::find_if(used.begin(), used.end(), wrong);
    if (found == used.end()) return proof;
    const Meaning& meaning = symbols[*found].meaning;
    const int64_t factor = Evaluate(meaning.a, value);
    question.push_back(Eq(meaning.a, factor));
    question.push_back(Eq(LinearExpr::Symbol(*found), meaning.b * factor));
  }
  return {};
}

}  // namespace

std::optional<CounterExample> FindCounterExample(const SymbolTable& symbols,
                                                 const AccessQuery& query,
                                                 const std::vector<Formula>& extra,
                                                 const OpenBound& bound, Prover* prover) {
  std::set<SymbolId> used;
  CollectSymbols(symbols, bound.in_bounds, &used);
  for (const FactNode* node = query.facts.get(); node != nullptr; node = node->outer.get()) {
    CollectSymbols(symbols, node->fact, &used);
  }
  // What falls out of the comparison (x[n + i] of extent n) still has to have a value: say of each
  // symbol of the index and the extent that it is an integer.
  const DimForm& form = query.dims[static_cast<size_t>(bound.dim)];
  std::vector<Formula> named;
  for (const LinearExpr* e : {&form.index, &form.extent}) {
    CollectSymbols(symbols, *e, &used);
    for (const LinearExpr::Term& t : e->terms()) {
      const LinearExpr symbol = LinearExpr::Symbol(t.first);
      named.push_back(Or({GeZero(symbol), Ge(-1, symbol)}));
    }
  }
  Proof proof;
  // Small shapes are easier to read and to replay; the last try has no limit.
  for (int64_t limit : {int64_t{16}, int64_t{256}, int64_t{4096}, int64_t{0}}) {
    std::vector<Formula> question = extra;
    question.push_back(Not(bound.in_bounds));
    question.insert(question.end(), named.begin(), named.end());
    for (SymbolId s : used) {
      if (limit > 0 && symbols[s].kind == SymbolKind::kShape) {
        question.push_back(Ge(limit, LinearExpr::Symbol(s)));
      }
    }
    proof = PointWithProducts(symbols, query.facts, std::move(question), used, prover);
    if (proof.answer == Answer::kYes) break;
  }
  if (proof.answer != Answer::kYes) return std::nullopt;
  CounterExample out;
  for (const auto& [symbol, value] : proof.witness) {
    const SymbolInfo& info = symbols[symbol];
    switch (info.kind) {
      case SymbolKind::kShape:
        out.shapes[info.name] = value;
        break;
      case SymbolKind::kBlock:
        out.block[info.name] = value;
        break;
      case SymbolKind::kThread:
        out.thread[info.name] = value;
        break;
      case SymbolKind::kLoop:
      case SymbolKind::kLane:
        out.loops[info.name] = value;
        break;
      case SymbolKind::kMemory:
      case SymbolKind::kOpaque:
        // A product follows from its factors.
        if (info.meaning.kind == Meaning::Kind::kFree) out.values[info.name] = value;
        break;
      case SymbolKind::kDerived:
        break;
    }
  }
  auto value = [&](SymbolId s) { return ValueIn(proof.witness, s); };
  out.dim = bound.dim;
  try {
    out.index = Evaluate(form.index, value);
    out.extent = Evaluate(form.extent, value);
  } catch (const CoefficientOverflow&) {
    return std::nullopt;
  }
  return out;
}

std::optional<std::string> FindShapeCondition(SymbolTable* symbols, const AccessQuery& query,
                                              const std::vector<Formula>& extra,
                                              const std::vector<OpenBound>& bounds,
                                              Prover* prover) {
  ConditionSearch search(symbols, query, extra, prover);
  std::string text;
  for (const OpenBound& bound : bounds) {
    const std::optional<std::string> part = search.ForBound(bound, search.chosen());
    if (!part) return std::nullopt;
    if (!part->empty()) text += (text.empty() ? "" : " and ") + *part;
  }
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace tileguard

#include "prover.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "probe.h"

namespace tileguard {

namespace {

// Case splits of one question; far above what kernels need (a select in an index costs one), low
// enough that nested disjunctions cannot run away.
constexpr int kMaxNodes = 400;
constexpr int kMaxDepth = 48;

void CollectSymbols(const Formula& f, std::vector<SymbolId>* out) {
  ForEachExpr(f, [out](const LinearExpr& e) {
    for (const LinearExpr::Term& t : e.terms()) out->push_back(t.first);
  });
}

}  // namespace

// A conjunction of linear constraints and disjunctions still to be split, over numbered columns.
struct Prover::System {
  std::vector<Formula> constraints;
  std::vector<Formula> disjunctions;

  // Sorts `f` into the two lists. False when it cannot hold.
  bool Add(const Formula& f) {
    switch (f.kind) {
      case Formula::Kind::kTrue:
        return true;
      case Formula::Kind::kFalse:
        return false;
      case Formula::Kind::kOr:
        disjunctions.push_back(f);
        return true;
      case Formula::Kind::kAnd:
        return std::all_of(f.args.begin(), f.args.end(),
                           [this](const Formula& a) { return Add(a); });
      default:
        constraints.push_back(f);
        return true;
    }
  }
};

Prover::Prover(const SymbolTable* symbols, uint64_t operations_per_access, uint64_t search_limit)
    : symbols_(symbols),
      operations_per_access_(operations_per_access),
      search_limit_(search_limit) {
  StartAccess();
}

void Prover::StartAccess() { context_.StartBudget(operations_per_access_); }

Proof Prover::Implies(const FactList& facts, const Formula& goal,
                      const std::vector<Formula>& extra) {
  if (goal.kind == Formula::Kind::kAnd) {
    for (const Formula& part : goal.args) {
      Proof proof = Implies(facts, part, extra);
      if (!proof.Holds()) return proof;
    }
    return {Answer::kYes, {}};
  }
  if (goal.IsTrue() || QuickYes(facts, goal, extra)) return {Answer::kYes, {}};
  std::vector<Formula> question = extra;
  try {
    question.push_back(Not(goal));
  } catch (const CoefficientOverflow&) {
    return {};
  }
  Proof proof = Satisfiable(facts, question);
  if (proof.answer == Answer::kYes) {
    proof.answer = Answer::kNo;
  } else if (proof.answer == Answer::kNo) {
    proof.answer = Answer::kYes;
  }
  return proof;
}

bool Prover::MayHappen(const FactList& facts) {
  auto known = may_happen_.find(facts.get());
  if (known != may_happen_.end()) return known->second;
  std::vector<Formula> all;
  for (const FactNode* node = facts.get(); node != nullptr; node = node->outer.get()) {
    all.push_back(node->fact);
  }
  const bool may = Satisfiable(nullptr, all).answer != Answer::kNo;
  may_happen_.emplace(facts.get(), may);
  return may;
}

Proof Prover::Satisfiable(const FactList& facts, const std::vector<Formula>& extra) {
  std::vector<Formula> relevant;
  try {
    relevant = Relevant(facts, extra, true);
  } catch (const CoefficientOverflow&) {
    return {};
  }
  size_t hash = relevant.size();
  for (const Formula& f : relevant) hash = hash * 1000003 + HashFormula(f);
  auto range = cache_.equal_range(hash);
  for (auto it = range.first; it != range.second; ++it) {
    if (it->second.key == relevant) return it->second.proof;
  }
  // Cheapest first: a point found by trying some, a contradiction without the facts, then
  // everything.
  Proof proof;
  if (std::optional<Assignment> point = Probe(*symbols_, relevant)) {
    proof = {Answer::kYes, std::move(*point)};
  } else {
    try {
      if (facts != nullptr) proof = Decide(Relevant(facts, extra, false));
    } catch (const CoefficientOverflow&) {
      proof = {};
    }
    if (proof.answer != Answer::kNo) proof = Decide(relevant);
  }
  if (proof.answer != Answer::kUnknown) cache_.emplace(hash, Entry{std::move(relevant), proof});
  return proof;
}

Proof Prover::Decide(const std::vector<Formula>& conjunction) {
  System system;
  const bool possible = std::all_of(conjunction.begin(), conjunction.end(),
                                    [&system](const Formula& f) { return system.Add(f); });
  if (!possible) return {Answer::kNo, {}};
  nodes_ = 0;
  return Search(std::move(system), 0);
}

// The box of the symbols' own bounds, or one fact that the goal follows from by adding such bounds,
// settles most accesses of static kernels without any set.
bool Prover::QuickYes(const FactList& facts, const Formula& goal,
                      const std::vector<Formula>& extra) const {
  auto equals = [&goal](const Formula& f) { return f == goal; };
  if (std::any_of(extra.begin(), extra.end(), equals)) return true;
  for (const FactNode* node = facts.get(); node != nullptr; node = node->outer.get()) {
    if (equals(node->fact)) return true;
  }
  if (goal.kind != Formula::Kind::kGeZero) return false;
  auto never_negative = [this](const LinearExpr& e) {
    const Interval bounds = BoxBounds(e, *symbols_);
    return bounds.lo && *bounds.lo >= 0;
  };
  try {
    if (never_negative(goal.expr)) return true;
    auto follows = [&](const Formula& f) {
      return f.kind == Formula::Kind::kGeZero && never_negative(goal.expr - f.expr);
    };
    if (std::any_of(extra.begin(), extra.end(), follows)) return true;
    for (const FactNode* node = facts.get(); node != nullptr; node = node->outer.get()) {
      if (follows(node->fact)) return true;
    }
  } catch (const CoefficientOverflow&) {
    return false;
  }
  return false;
}

std::vector<Formula> Prover::Relevant(const FactList& facts, std::vector<Formula> seeds,
                                      bool expand) const {
  struct Pending {
    const Formula* fact;
    std::vector<SymbolId> symbols;
  };
  std::vector<Pending> pending;
  for (const FactNode* node = facts.get(); node != nullptr; node = node->outer.get()) {
    // What the bounds of its symbols imply anyway only makes the set larger.
    if (node->fact.kind == Formula::Kind::kGeZero) {
      const Interval box = BoxBounds(node->fact.expr, *symbols_);
      if (box.lo && *box.lo >= 0) continue;
    }
    std::vector<SymbolId> symbols;
    CollectSymbols(node->fact, &symbols);
    pending.push_back({&node->fact, std::move(symbols)});
  }
  std::unordered_set<SymbolId> reached;
  std::vector<SymbolId> queue;
  for (const Formula& f : seeds) CollectSymbols(f, &queue);
  std::vector<Formula> out = std::move(seeds);
  auto reach = [&](SymbolId s) { return reached.insert(s).second; };
  for (bool grown = true; grown;) {
    while (!queue.empty()) {
      const SymbolId s = queue.back();
      queue.pop_back();
      if (!reach(s)) continue;
      const SymbolInfo& info = (*symbols_)[s];
      if (info.lo) out.push_back(GeZero(LinearExpr::Symbol(s) - *info.lo));
      if (info.hi) out.push_back(GeZero(LinearExpr(*info.hi) - LinearExpr::Symbol(s)));
      if (!info.definition.IsTrue()) {
        out.push_back(info.definition);
        CollectSymbols(info.definition, &queue);
      }
    }
    grown = false;
    for (Pending& entry : pending) {
      if (entry.fact == nullptr) continue;
      // Where nothing can happen, anything holds.
      if (entry.fact->IsFalse()) return {False()};
      auto is_reached = [&](SymbolId s) { return reached.count(s) != 0; };
      // `bx < q` speaks of n where q is a quotient of n.
      auto speaks_of_reached = [&](SymbolId s) {
        const std::vector<SymbolId>& behind = Behind(s);
        return is_reached(s) || std::any_of(behind.begin(), behind.end(), is_reached);
      };
      const auto begin = entry.symbols.begin();
      const auto end = entry.symbols.end();
      const bool touches =
          expand ? std::any_of(begin, end, speaks_of_reached) : std::all_of(begin, end, is_reached);
      if (!touches) continue;
      out.push_back(*entry.fact);
      queue.insert(queue.end(), begin, end);
      entry.fact = nullptr;
      grown = true;
    }
  }
  return out;
}

// The symbols that the definition of `s` mentions, through further definitions.
const std::vector<SymbolId>& Prover::Behind(SymbolId s) const {
  auto known = behind_.find(s);
  if (known != behind_.end()) return known->second;
  std::unordered_set<SymbolId> seen{s};
  std::vector<SymbolId> out;
  std::vector<SymbolId> queue{s};
  while (!queue.empty()) {
    std::vector<SymbolId> next;
    CollectSymbols((*symbols_)[queue.back()].definition, &next);
    queue.pop_back();
    for (SymbolId t : next) {
      if (!seen.insert(t).second) continue;
      out.push_back(t);
      queue.push_back(t);
    }
  }
  return behind_.emplace(s, std::move(out)).first->second;
}

// Depth-first case split, lazily: a disjunction is split only when the point found so far breaks
// it.
Proof Prover::Search(System system, int depth) {
  if (++nodes_ > kMaxNodes || depth > kMaxDepth || context_.searches() >= search_limit_) return {};
  std::unordered_map<SymbolId, size_t> column;
  std::vector<SymbolId> ids;
  auto number = [&](const Formula& f) {
    ForEachExpr(f, [&](const LinearExpr& e) {
      for (const LinearExpr::Term& t : e.terms()) {
        if (column.emplace(t.first, ids.size()).second) ids.push_back(t.first);
      }
    });
  };
  std::for_each(system.constraints.begin(), system.constraints.end(), number);
  std::for_each(system.disjunctions.begin(), system.disjunctions.end(), number);
  IntegerSystem points;
  points.dims = ids.size();
  for (const Formula& f : system.constraints) {
    std::vector<int64_t> row(ids.size() + 1, 0);
    for (const LinearExpr::Term& t : f.expr.terms()) row[column[t.first]] = t.second;
    row.back() = f.expr.constant();
    (f.kind == Formula::Kind::kEqZero ? points.equalities : points.inequalities).push_back(row);
  }
  const SearchResult found = context_.FindPoint(points);
  if (found.IsEmpty()) return {Answer::kNo, {}};
  if (!found.HasPoint()) return {};
  auto value = [&](SymbolId s) { return found.point[column.at(s)]; };
  size_t broken = system.disjunctions.size();
  try {
    for (size_t i = 0; i < system.disjunctions.size() && broken == system.disjunctions.size();
         ++i) {
      if (!Holds(system.disjunctions[i], value)) broken = i;
    }
  } catch (const CoefficientOverflow&) {
    return {};
  }
  if (broken == system.disjunctions.size()) {
    Proof proof{Answer::kYes, {}};
    for (size_t i = 0; i < ids.size(); ++i) proof.witness.emplace(ids[i], found.point[i]);
    return proof;
  }
  const Formula split = system.disjunctions[broken];
  system.disjunctions.erase(system.disjunctions.begin() + static_cast<std::ptrdiff_t>(broken));
  bool unknown = false;
  for (const Formula& branch : split.args) {
    System next = system;
    if (!next.Add(branch)) continue;
    Proof proof = Search(std::move(next), depth + 1);
    if (proof.answer == Answer::kYes) return proof;
    unknown = unknown || proof.answer == Answer::kUnknown;
  }
  return {unknown ? Answer::kUnknown : Answer::kNo, {}};
}

}  // namespace tileguard

#include "decide.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "../prove/explain.h"
#include "lane_tests.h"
#include "width.h"

namespace tileguard {

namespace {

// A comparison that the facts do not settle.
struct OpenAtom {
  GuardAtom atom;
  Formula formula;  // of every lane
  Formula first;    // of the first and last lane; equal to `formula` without lanes
  Formula last;
  Proof refutation;
};

Formula AtomFormula(const DimForm& form, bool upper) {
  return upper ? Lt(form.index, form.extent) : GeZero(form.index);
}

// Is the value of `e` the same for all threads of a block and all iterations?
bool IsOfTheBlock(const SymbolTable& symbols, const LinearExpr& e) {
  return std::all_of(e.terms().begin(), e.terms().end(), [&](const LinearExpr::Term& t) {
    const SymbolInfo& info = symbols[t.first];
    if (info.kind == SymbolKind::kShape || info.kind == SymbolKind::kBlock) return true;
    if (info.meaning.kind == Meaning::Kind::kFree || info.meaning.kind == Meaning::Kind::kChoice)
      return false;
    return IsOfTheBlock(symbols, info.meaning.a) && IsOfTheBlock(symbols, info.meaning.b);
  });
}

bool IsFromMemory(const SymbolTable& symbols, const LinearExpr& e) {
  return std::any_of(e.terms().begin(), e.terms().end(), [&](const LinearExpr::Term& t) {
    return symbols[t.first].kind == SymbolKind::kMemory;
  });
}

bool HasThreads(const SymbolTable& symbols) {
  for (size_t id = 0; id < symbols.size(); ++id) {
    const SymbolKind kind = symbols[static_cast<SymbolId>(id)].kind;
    if (kind == SymbolKind::kBlock || kind == SymbolKind::kThread) return true;
  }
  return false;
}

// Comparisons stop at the first that fails. On a GPU what a whole block shares comes first. Of the
// others, the upper bound of the innermost dimension fails most often, since that is where a tile
// hangs over, and the compiler makes more of it in front (scaling of 8192 x 8192 halves on an H200:
// 0.227 ms, the other way round 0.290 ms). On a CPU an inner loop runs over the innermost
// dimension, and the compiler moves what comes first out of it (`python -m bench.cpu.run --only
// stencil`); an index from memory fails most often as the sentinel -1, below.
void OrderAtoms(const SymbolTable& symbols, const AccessQuery& query,
                std::vector<GuardAtom>* atoms) {
  const bool threads = HasThreads(symbols);
  auto key = [&](const GuardAtom& atom) {
    const DimForm& form = query.dims[static_cast<size_t>(atom.dim)];
    const bool shared =
        threads && IsOfTheBlock(symbols, form.index) && IsOfTheBlock(symbols, form.extent);
    const bool lower_first = !threads && IsFromMemory(symbols, form.index);
    return std::make_tuple(!shared, threads ? -atom.dim : atom.dim, atom.upper == lower_first);
  };
  std::stable_sort(atoms->begin(), atoms->end(),
                   [&key](const GuardAtom& a, const GuardAtom& b) { return key(a) < key(b); });
}

class Decider {
 public:
  Decider(SymbolTable* symbols, const std::vector<AccessQuery>& queries, const Budget& budget,
          const SecondOpinion& second_opinion, bool explain)
      : symbols_(symbols),
        queries_(queries),
        second_opinion_(second_opinion),
        explain_(explain),
        prover_(symbols, budget.operations_per_access, budget.searches_per_function),
        guards_(queries.size()) {}

  Decision Decide(int id);

 private:
  std::vector<Formula> GuardsAround(const AccessQuery& query) const;
  std::vector<OpenAtom> OpenAtoms(int id, const std::vector<Formula>& extra);
  void DropImplied(const AccessQuery& query, const std::vector<Formula>& extra,
                   std::vector<OpenAtom>* open);
  void ChooseLane(const AccessQuery& query, const std::vector<Formula>& extra, OpenAtom* open);
  void PreferPositiveExtent(const AccessQuery& query, const std::vector<Formula>& extra,
                            OpenAtom* open);
  static std::vector<Formula> UnderGuard(const std::vector<OpenAtom>& open);
  void ExplainDecision(const AccessQuery& query, const std::vector<Formula>& extra,
                       const std::vector<OpenAtom>& open, Decision* out);
  void CompareBothBounds(const AccessQuery& query, const std::vector<Formula>& extra,
                         std::vector<OpenAtom>* open);
  bool Fits(const AccessQuery& query, const std::vector<Formula>& extra, int dim);
  UnknownReason Reason(const std::vector<OpenAtom>& open) const;
  Decision Unmodelled(const AccessQuery& query) const;
  Decision DecideModelled(int id);
  Answer Happens(const AccessQuery& query, const std::vector<Formula>& extra);
  bool TouchesOpaque(const Assignment& witness) const;

  SymbolTable* symbols_;
  const std::vector<AccessQuery>& queries_;
  const SecondOpinion& second_opinion_;
  bool explain_;
  Prover prover_;
  // What holds under the guard of each access decided so far.
  std::vector<std::vector<Formula>> guards_;
};

std::vector<Formula> Decider::GuardsAround(const AccessQuery& query) const {
  std::vector<Formula> out;
  for (int id : query.under) {
    const std::vector<Formula>& guard = guards_[static_cast<size_t>(id)];
    out.insert(out.end(), guard.begin(), guard.end());
  }
  return out;
}

bool Decider::TouchesOpaque(const Assignment& witness) const {
  return std::any_of(witness.begin(), witness.end(), [this](const auto& entry) {
    return (*symbols_)[entry.first].kind == SymbolKind::kOpaque;
  });
}

std::vector<OpenAtom> Decider::OpenAtoms(int id, const std::vector<Formula>& extra) {
  const AccessQuery& query = queries_[static_cast<size_t>(id)];
  std::vector<OpenAtom> open;
  for (size_t d = 0; d < query.dims.size(); ++d) {
    for (bool upper : {false, true}) {
      if (query.is_span && upper == (d == 0)) continue;
      OpenAtom atom;
      atom.atom.dim = static_cast<int>(d);
      atom.atom.upper = upper;
      atom.formula = AtomFormula(query.dims[d], upper);
      atom.refutation = prover_.Implies(query.facts, atom.formula, extra);
      if (atom.refutation.Holds()) continue;
      const bool unsure =
          atom.refutation.answer == Answer::kUnknown || TouchesOpaque(atom.refutation.witness);
      if (unsure && second_opinion_ && second_opinion_(id, atom.atom.dim, upper)) continue;
      atom.first = query.HasEnds() ? AtomFormula(query.first[d], upper) : atom.formula;
      atom.last = query.HasEnds() ? AtomFormula(query.last[d], upper) : atom.formula;
      open.push_back(std::move(atom));
    }
  }
  return open;
}

// Greedy: an atom that the facts and the other atoms imply goes. What is left is irredundant.
void Decider::DropImplied(const AccessQuery& query, const std::vector<Formula>& extra,
                          std::vector<OpenAtom>* open) {
  for (size_t i = 0; open->size() > 1 && i < open->size();) {
    std::vector<Formula> others = extra;
    for (size_t j = 0; j < open->size(); ++j) {
      if (j != i) others.push_back((*open)[j].formula);
    }
    if (prover_.Implies(query.facts, (*open)[i].formula, others).Holds()) {
      open->erase(open->begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

// An end of the vector that speaks for every lane frees the guard of the lane; when the lanes may
// disagree, an end that implies all others is the test for a full vector.
void Decider::ChooseLane(const AccessQuery& query, const std::vector<Formula>& extra,
                         OpenAtom* open) {
  if (!query.HasLanes() || open->atom.positive_extent) return;
  if (!query.HasEnds()) {
    open->atom.lane = LaneChoice::kEach;
    open->atom.uniform = false;
    return;
  }
  if (open->first == open->last && open->first == open->formula) return;
  auto implies = [&](const Formula& a, const Formula& b) {
    std::vector<Formula> facts = extra;
    facts.push_back(a);
    return prover_.Implies(query.facts, b, facts).Holds();
  };
  const bool first_suffices = implies(open->first, open->formula);
  if (first_suffices && implies(open->formula, open->first)) {
    open->atom.lane = LaneChoice::kFirst;
    return;
  }
  const bool last_suffices = implies(open->last, open->formula);
  if (last_suffices && implies(open->formula, open->last)) {
    open->atom.lane = LaneChoice::kLast;
    return;
  }
  open->atom.uniform = false;
  open->atom.lane = first_suffices  ? LaneChoice::kFirst
                    : last_suffices ? LaneChoice::kLast
                                    : LaneChoice::kEach;
}

// Where the index is below any positive extent (a clamp, a constant zero), `0 < extent` says it
// all.
void Decider::PreferPositiveExtent(const AccessQuery& query, const std::vector<Formula>& extra,
                                   OpenAtom* open) {
  const DimForm& form = query.dims[static_cast<size_t>(open->atom.dim)];
  if (!open->atom.upper || form.extent.IsConstant() || form.index.IsConstant()) return;
  std::vector<Formula> facts = extra;
  const Formula positive = Ge(form.extent, 1);
  facts.push_back(positive);
  if (!prover_.Implies(query.facts, open->formula, facts).Holds()) return;
  open->atom.positive_extent = true;
  open->formula = open->first = open->last = positive;
}

// A guard that all lanes share also vouches for its own end of the vector.
std::vector<Formula> Decider::UnderGuard(const std::vector<OpenAtom>& open) {
  std::vector<Formula> guard;
  for (const OpenAtom& atom : open) {
    guard.push_back(atom.formula);
    if (atom.atom.uniform && atom.atom.lane == LaneChoice::kFirst) guard.push_back(atom.first);
    if (atom.atom.uniform && atom.atom.lane == LaneChoice::kLast) guard.push_back(atom.last);
  }
  return guard;
}

bool Decider::Fits(const AccessQuery& query, const std::vector<Formula>& extra, int dim) {
  return std::all_of(query.fits.begin(), query.fits.end(), [&](const FitRequirement& fit) {
    if (fit.dim != dim) return true;
    const int64_t size = int64_t{1} << fit.bits;
    const int64_t lowest = fit.is_signed ? -(size / 2) : 0;
    return prover_.Implies(query.facts, Ge(fit.value, lowest), extra).Holds() &&
           prover_.Implies(query.facts, Lt(fit.value, lowest + size), extra).Holds();
  });
}

// A guard computes in 64 bits at most. An index that may leave them has to be compared with both
// bounds, also with the one that it keeps as a mathematical integer. One unsigned comparison does
// that; the host's simplifier, which knows no overflow, would delete a second signed one.
void Decider::CompareBothBounds(const AccessQuery& query, const std::vector<Formula>& extra,
                                std::vector<OpenAtom>* open) {
  for (OpenAtom& one : *open) {
    const auto dim = static_cast<size_t>(one.atom.dim);
    const auto same_dim = [&](const OpenAtom& other) { return other.atom.dim == one.atom.dim; };
    if (query.is_span || one.atom.positive_extent) continue;
    if (std::count_if(open->begin(), open->end(), same_dim) > 1) continue;
    if (!MayLeave64Bits(query.dims[dim].index, *symbols_, query, extra, &prover_)) continue;
    one.atom.both_bounds = one.atom.wide = true;
    if (one.atom.upper) continue;
    one.atom.upper = true;
    one.formula = AtomFormula(query.dims[dim], true);
    one.first = query.HasEnds() ? AtomFormula(query.first[dim], true) : one.formula;
    one.last = query.HasEnds() ? AtomFormula(query.last[dim], true) : one.formula;
  }
}

UnknownReason Decider::Reason(const std::vector<OpenAtom>& open) const {
  for (const OpenAtom& atom : open) {
    if (atom.refutation.answer == Answer::kUnknown) return UnknownReason::kQuota;
  }
  for (const OpenAtom& atom : open) {
    if (TouchesOpaque(atom.refutation.witness)) return UnknownReason::kNonAffine;
  }
  return UnknownReason::kNone;
}

// No linear form fits 64 bits, or none was made: compare every dimension, every lane.
Decision Decider::Unmodelled(const AccessQuery& query) const {
  Decision out;
  out.verdict = Verdict::kUnknown;
  out.reason = query.guardable ? UnknownReason::kMayOverflow : UnknownReason::kUnsupported;
  for (int d = 0; query.guardable && d < query.rank; ++d) {
    for (bool upper : {false, true})
      out.atoms.push_back({d, upper, LaneChoice::kEach, !query.HasLanes(), false, true});
  }
  return out;
}

// Is there any execution at all? The prover leaves out facts that have nothing to do with a
// question; an access where they contradict each other is no fault.
Answer Decider::Happens(const AccessQuery& query, const std::vector<Formula>& extra) {
  std::vector<Formula> all = extra;
  for (const FactNode* node = query.facts.get(); node != nullptr; node = node->outer.get()) {
    all.push_back(node->fact);
  }
  return prover_.Satisfiable(nullptr, all).answer;
}

Decision Decider::Decide(int id) {
  const AccessQuery& query = queries_[static_cast<size_t>(id)];
  if (query.dims.empty() && query.rank > 0) return Unmodelled(query);
  try {
    return DecideModelled(id);
  } catch (const CoefficientOverflow&) {
    return Unmodelled(query);
  }
}

Decision Decider::DecideModelled(int id) {
  const AccessQuery& query = queries_[static_cast<size_t>(id)];
  prover_.StartAccess();
  const std::vector<Formula> extra = GuardsAround(query);
  Decision out;
  std::vector<OpenAtom> open = OpenAtoms(id, extra);
  if (open.empty() || !prover_.MayHappen(query.facts)) {
    out.verdict = Verdict::kProved;
    return out;
  }
  DropImplied(query, extra, &open);
  for (OpenAtom& atom : open) PreferPositiveExtent(query, extra, &atom);
  // What was irredundant beside `index < extent` may follow from the stronger `0 < extent`.
  if (std::any_of(open.begin(), open.end(),
                  [](const OpenAtom& atom) { return atom.atom.positive_extent; })) {
    DropImplied(query, extra, &open);
  }
  std::vector<Formula> all = extra;
  for (const OpenAtom& atom : open) all.push_back(atom.formula);
  const Proof reachable = prover_.Satisfiable(query.facts, all);
  out.reason = Reason(open);
  if (reachable.answer == Answer::kUnknown) out.reason = UnknownReason::kQuota;
  out.verdict = out.reason == UnknownReason::kNone ? Verdict::kGuarded : Verdict::kUnknown;
  if (reachable.answer == Answer::kNo) {
    const Answer happens = Happens(query, extra);
    if (happens == Answer::kNo) {
      out.verdict = Verdict::kProved;
      out.reason = UnknownReason::kNone;
      return out;
    }
    const bool sure = happens == Answer::kYes;
    out.verdict = sure ? Verdict::kOutOfBounds : Verdict::kUnknown;
    out.reason = sure ? UnknownReason::kNone : UnknownReason::kQuota;
  }
  if (out.verdict != Verdict::kOutOfBounds) CompareBothBounds(query, extra, &open);
  for (OpenAtom& atom : open) {
    ChooseLane(query, extra, &atom);
    atom.atom.wide = atom.atom.both_bounds || !Fits(query, extra, atom.atom.dim);
    out.atoms.push_back(atom.atom);
  }
  OrderAtoms(*symbols_, query, &out.atoms);
  if (!out.LanesAgree()) out.lane_tests = LaneTests(*symbols_, query, out.atoms, extra, &prover_);
  if (query.guardable) guards_[static_cast<size_t>(id)] = UnderGuard(open);
  if (explain_) ExplainDecision(query, extra, open, &out);
  return out;
}

void Decider::ExplainDecision(const AccessQuery& query, const std::vector<Formula>& extra,
                              const std::vector<OpenAtom>& open, Decision* out) {
  std::vector<OpenBound> bounds;
  bounds.reserve(open.size());
  for (const OpenAtom& atom : open) bounds.push_back({atom.atom.dim, atom.formula});
  // An explanation never changes the decision.
  try {
    out->counterexample = FindCounterExample(*symbols_, query, extra, bounds.front(), &prover_);
    if (out->verdict != Verdict::kOutOfBounds) {
      out->safe_if = FindShapeCondition(symbols_, query, extra, bounds, &prover_);
    }
  } catch (const CoefficientOverflow&) {
  }
}

}  // namespace

std::vector<Decision> DecideAll(SymbolTable* symbols, const std::vector<AccessQuery>& queries,
                                const Budget& budget, const SecondOpinion& second_opinion,
                                bool explain) {
  Decider decider(symbols, queries, budget, second_opinion, explain);
  std::vector<Decision> out;
  out.reserve(queries.size());
  for (size_t i = 0; i < queries.size(); ++i) out.push_back(decider.Decide(static_cast<int>(i)));
  return out;
}

}  // namespace tileguard

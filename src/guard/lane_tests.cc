#include "lane_tests.h"

#include <algorithm>
#include <optional>

namespace tileguard {

namespace {

// Lanes of the widest vector access; longer ranges are not taken apart.
constexpr int kMaxLanes = 16;

Formula At(const Formula& f, SymbolId lane, int64_t value) {
  switch (f.kind) {
    case Formula::Kind::kTrue:
    case Formula::Kind::kFalse:
      return f;
    case Formula::Kind::kGeZero:
      return GeZero(f.expr.Substitute(lane, value));
    case Formula::Kind::kEqZero:
      return EqZero(f.expr.Substitute(lane, value));
    default:
      break;
  }
  std::vector<Formula> args;
  args.reserve(f.args.size());
  for (const Formula& a : f.args) args.push_back(At(a, lane, value));
  return f.kind == Formula::Kind::kAnd ? And(std::move(args)) : Or(std::move(args));
}

// The lane's symbol, when setting it to 0 and to the last lane gives the ends as extracted: no term
// that only follows from the lane stands beside it.
std::optional<SymbolId> LinearLane(const SymbolTable& symbols, const AccessQuery& query) {
  std::optional<SymbolId> lane;
  for (const DimForm& form : query.dims) {
    for (const LinearExpr::Term& t : form.index.terms()) {
      if (symbols[t.first].kind != SymbolKind::kLane) continue;
      if (lane && *lane != t.first) return std::nullopt;
      lane = t.first;
    }
  }
  if (!lane || !query.HasEnds()) return std::nullopt;
  for (size_t d = 0; d < query.dims.size(); ++d) {
    const LinearExpr& index = query.dims[d].index;
    if (index.Substitute(*lane, 0) != query.first[d].index) return std::nullopt;
    if (index.Substitute(*lane, query.lanes - 1) != query.last[d].index) return std::nullopt;
  }
  return lane;
}

}  // namespace

std::vector<std::vector<bool>> LaneTests(const SymbolTable& symbols, const AccessQuery& query,
                                         const std::vector<GuardAtom>& atoms,
                                         const std::vector<Formula>& extra, Prover* prover) {
  if (query.lanes > kMaxLanes || atoms.size() < 2) return {};
  const std::optional<SymbolId> lane = LinearLane(symbols, query);
  if (!lane) return {};
  std::vector<std::vector<bool>> out;
  for (int e = 0; e < query.lanes; ++e) {
    std::vector<Formula> tests;
    for (const GuardAtom& atom : atoms) {
      const DimForm& form = query.dims[static_cast<size_t>(atom.dim)];
      const LinearExpr index = form.index.Substitute(*lane, e);
      tests.push_back(atom.positive_extent ? Ge(form.extent, 1)
                      : atom.upper         ? Lt(index, form.extent)
                                           : GeZero(index));
    }
    std::vector<Formula> known;
    known.reserve(extra.size() + tests.size());
    for (const Formula& f : extra) known.push_back(At(f, *lane, e));
    std::vector<bool> needed(atoms.size(), true);
    for (size_t i = 0; i < tests.size(); ++i) {
      std::vector<Formula> others = known;
      for (size_t j = 0; j < tests.size(); ++j) {
        if (j != i && needed[j]) others.push_back(tests[j]);
      }
      prover->StartAccess();
      needed[i] = !prover->Implies(query.facts, tests[i], others).Holds();
    }
    out.push_back(std::move(needed));
  }
  return out;
}

}  // namespace tileguard

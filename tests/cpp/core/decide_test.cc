// Verdicts and kept atoms against every execution of small programs.
#include "guard/decide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "program.h"

namespace tileguard {
namespace testing {
namespace {

std::vector<size_t> RandomOrder(const Program& program, Random* random) {
  std::vector<size_t> order(program.box.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1],
              order[static_cast<size_t>(random->Int(0, static_cast<int64_t>(i) - 1))]);
  }
  return order;
}

// Calls `check(access, decision, executions)` for every access that some execution reaches.
template <typename Check>
void ForDecisions(int programs, const Check& check) {
  ForSeeds(programs, [&](Random* random) {
    const Program program = RandomProgram(random);
    SCOPED_TRACE(program.Text());
    const Decided decided(program, RandomOrder(program, random), Unlimited(), false);
    for (size_t id = 0; id < program.accesses.size(); ++id) {
      SCOPED_TRACE("access " + std::to_string(id));
      const std::vector<Point> executions = Executions(program, id);
      if (!executions.empty()) check(program, id, decided[id], executions);
      if (::testing::Test::HasFailure()) return;
    }
  });
}

bool AllHold(const TreeAccess& access, const std::vector<GuardAtom>& atoms, const Point& point) {
  return std::all_of(atoms.begin(), atoms.end(),
                     [&](const GuardAtom& atom) { return AtomHolds(access, atom, point); });
}

TEST(Decide, VerdictsEqualEnumeration) {
  std::map<Verdict, int> seen;
  ForDecisions(1500, [&](const Program& program, size_t id, const Decision& decision,
                         const std::vector<Point>& executions) {
    const auto inside = std::count_if(executions.begin(), executions.end(), [&](const Point& p) {
      return InBounds(program.accesses[id], p);
    });
    const Verdict expected = inside == static_cast<std::ptrdiff_t>(executions.size())
                                 ? Verdict::kProved
                             : inside == 0 ? Verdict::kOutOfBounds
                                           : Verdict::kGuarded;
    EXPECT_STREQ(ToString(decision.verdict), ToString(expected));
    EXPECT_EQ(decision.reason, UnknownReason::kNone);
    EXPECT_EQ(decision.atoms.empty(), expected == Verdict::kProved);
    ++seen[expected];
  });
  for (Verdict v : {Verdict::kProved, Verdict::kOutOfBounds, Verdict::kGuarded}) {
    EXPECT_GT(seen[v], 100) << ToString(v);
  }
}

// Where no execution arrives there is nothing to guard and nothing to warn of.
TEST(Decide, UnreachableAccessesAreProved) {
  int unreachable = 0;
  ForSeeds(1500, [&](Random* random) {
    const Program program = RandomProgram(random);
    SCOPED_TRACE(program.Text());
    const Decided decided(program, RandomOrder(program, random), Unlimited(), false);
    for (size_t id = 0; id < program.accesses.size(); ++id) {
      if (!Executions(program, id).empty()) continue;
      ++unreachable;
      EXPECT_STREQ(ToString(decided[id].verdict), "Proved") << "access " << id;
      EXPECT_TRUE(decided[id].atoms.empty()) << "access " << id;
    }
  });
  EXPECT_GT(unreachable, 100);
}

TEST(Decide, KeptAtomsSayInBounds) {
  ForDecisions(1500, [](const Program& program, size_t id, const Decision& decision,
                        const std::vector<Point>& executions) {
    const TreeAccess& access = program.accesses[id];
    for (const Point& p : executions) {
      ASSERT_EQ(AllHold(access, decision.atoms, p), InBounds(access, p));
    }
  });
}

TEST(Decide, EachKeptAtomIsNeeded) {
  int several = 0;
  ForDecisions(2500, [&](const Program& program, size_t id, const Decision& decision,
                         const std::vector<Point>& executions) {
    const TreeAccess& access = program.accesses[id];
    several += decision.atoms.size() > 1 ? 1 : 0;
    for (size_t i = 0; i < decision.atoms.size(); ++i) {
      std::vector<GuardAtom> others = decision.atoms;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_TRUE(std::any_of(
          executions.begin(), executions.end(),
          [&](const Point& p) { return AllHold(access, others, p) && !InBounds(access, p); }))
          << "without dim " << decision.atoms[i].dim
          << (decision.atoms[i].upper ? " upper" : " lower")
          << (decision.atoms[i].positive_extent ? " (0 < extent)" : "");
    }
  });
  EXPECT_GT(several, 200);
}

TEST(Decide, LanesAgreeWhereTheAtomSaysSo) {
  std::map<std::pair<bool, LaneChoice>, int> seen;
  ForDecisions(2500, [&](const Program& program, size_t id, const Decision& decision,
                         const std::vector<Point>& executions) {
    const TreeAccess& access = program.accesses[id];
    for (const GuardAtom& atom : decision.atoms) {
      if (program.lane < 0) {
        EXPECT_TRUE(atom.uniform);
        EXPECT_EQ(atom.lane, LaneChoice::kNone);
      }
      if (program.lane < 0 || atom.positive_extent) continue;
      auto at = [&](const Point& p, int64_t lane) {
        return AtomHolds(access, atom, AtLane(program, p, lane));
      };
      auto always = [&](auto claim) {
        return std::all_of(executions.begin(), executions.end(), claim);
      };
      const int64_t end = program.lanes() - 1;
      const bool first_suffices =
          always([&](const Point& p) { return !at(p, 0) || AtomHolds(access, atom, p); });
      const bool last_suffices =
          always([&](const Point& p) { return !at(p, end) || AtomHolds(access, atom, p); });
      const bool first_agrees =
          always([&](const Point& p) { return at(p, 0) == AtomHolds(access, atom, p); });
      const bool last_agrees =
          always([&](const Point& p) { return at(p, end) == AtomHolds(access, atom, p); });
      EXPECT_EQ(atom.uniform, first_agrees || last_agrees);
      ++seen[{atom.uniform, atom.lane}];
      switch (atom.lane) {
        case LaneChoice::kFirst:
          EXPECT_TRUE(atom.uniform ? first_agrees : first_suffices);
          break;
        case LaneChoice::kLast:
          EXPECT_TRUE(atom.uniform ? last_agrees : last_suffices);
          break;
        case LaneChoice::kEach:
          EXPECT_FALSE(atom.uniform || first_suffices || last_suffices);
          break;
        case LaneChoice::kNone:
          EXPECT_TRUE(atom.uniform && first_agrees && last_agrees);
          break;
      }
    }
  });
  for (LaneChoice lane : {LaneChoice::kFirst, LaneChoice::kLast, LaneChoice::kEach}) {
    EXPECT_GT((seen[{false, lane}]), lane == LaneChoice::kEach ? 0 : 10) << static_cast<int>(lane);
  }
  EXPECT_GT((seen[{true, LaneChoice::kFirst}]), 10);
}

TEST(Decide, AtomsAreWideExactlyWhereAValueMayNotFit) {
  int wide = 0;
  ForDecisions(1500, [&](const Program& program, size_t id, const Decision& decision,
                         const std::vector<Point>& executions) {
    const TreeAccess& access = program.accesses[id];
    for (const GuardAtom& atom : decision.atoms) {
      const bool leaves = std::any_of(executions.begin(), executions.end(), [&](const Point& p) {
        return std::any_of(access.fits.begin(), access.fits.end(), [&](const TreeFit& fit) {
          const int64_t size = int64_t{1} << fit.bits;
          const int64_t lowest = fit.is_signed ? -size / 2 : 0;
          const int64_t v = Value(fit.value, p);
          return fit.dim == atom.dim && (v < lowest || v >= lowest + size);
        });
      });
      wide += leaves ? 1 : 0;
      EXPECT_EQ(atom.wide, leaves);
    }
  });
  EXPECT_GT(wide, 50);
}

// For every budget: the verdict of the full budget or Unknown(Quota), and atoms that keep the
// access inside all the same.
TEST(Decide, EveryBudgetGivesTheFullVerdictOrQuota) {
  int quota = 0;
  ForSeeds(150, [&](Random* random) {
    const Program program = RandomProgram(random);
    SCOPED_TRACE(program.Text());
    const std::vector<size_t> order = RandomOrder(program, random);
    const Decided full(program, order, Unlimited(), false);
    auto check = [&](const Budget& budget) {
      SCOPED_TRACE(std::to_string(budget.operations_per_access) + " operations, " +
                   std::to_string(budget.searches_per_function) + " searches");
      const Decided decided(program, order, budget, false);
      for (size_t id = 0; id < program.accesses.size(); ++id) {
        const Decision& d = decided[id];
        const std::vector<Point> executions = Executions(program, id);
        // What never happens may cost more to see than the guard that it gets instead; but it is no
        // fault.
        if (executions.empty()) {
          EXPECT_NE(d.verdict, Verdict::kOutOfBounds) << "access " << id;
          continue;
        }
        if (d.reason == UnknownReason::kQuota) {
          ++quota;
          EXPECT_EQ(d.verdict, Verdict::kUnknown);
        } else {
          EXPECT_STREQ(ToString(d.verdict), ToString(full[id].verdict)) << "access " << id;
        }
        for (const Point& p : executions) {
          ASSERT_EQ(AllHold(program.accesses[id], d.atoms, p), InBounds(program.accesses[id], p));
        }
      }
    };
    for (int k = 0; k <= 14; ++k) {
      Budget budget = Unlimited();
      budget.operations_per_access = uint64_t{1} << k;
      check(budget);
      budget = Unlimited();
      budget.searches_per_function = (uint64_t{1} << k) - 1;
      check(budget);
    }
  });
  EXPECT_GT(quota, 100);
}

// x[i] and y[j] of extent n: what stands under a guard may rely on it, unless there is none.
TEST(Decide, OnlyGuardsThatExistVouch) {
  for (bool guardable : {true, false}) {
    SymbolTable symbols;
    SymbolInfo info;
    info.kind = SymbolKind::kLoop;
    info.lo = 0;
    const LinearExpr i = LinearExpr::Symbol(symbols.Add(info));
    const LinearExpr n = LinearExpr::Symbol(symbols.Add(info));
    AccessQuery outer;
    outer.dims = {{i, n}};
    outer.rank = 1;
    outer.guardable = guardable;
    AccessQuery inner = outer;
    inner.guardable = true;
    inner.under = {0};
    AccessQuery beside = inner;
    beside.under = {};
    const std::vector<Decision> d =
        DecideAll(&symbols, {outer, inner, beside}, Budget(), nullptr, false);
    EXPECT_EQ(d[0].verdict, Verdict::kGuarded);
    EXPECT_EQ(d[1].verdict, guardable ? Verdict::kProved : Verdict::kGuarded);
    EXPECT_EQ(d[2].verdict, Verdict::kGuarded);
  }
}

// The second opinion is asked about what a non-affine term leaves open, and about nothing else.
TEST(Decide, SecondOpinionOnlyOnNonAffineTerms) {
  SymbolTable symbols;
  Terms terms(&symbols);
  SymbolInfo info;
  info.kind = SymbolKind::kShape;
  info.lo = 0;
  const LinearExpr n = LinearExpr::Symbol(symbols.Add(info));
  const LinearExpr m = LinearExpr::Symbol(symbols.Add(info));
  AccessQuery product;
  product.dims = {{terms.Multiply(n, m) - n * 3, n}};
  product.rank = 1;
  AccessQuery affine;
  affine.dims = {{m - 1, n}};
  affine.rank = 1;
  std::vector<std::pair<int, bool>> asked;
  auto decide = [&](bool answer) {
    asked.clear();
    return DecideAll(
        &symbols, {product, affine}, Budget(),
        [&](int id, int, bool upper) {
          asked.emplace_back(id, upper);
          return answer;
        },
        false);
  };
  const std::vector<std::pair<int, bool>> both{{0, false}, {0, true}};
  const std::vector<Decision> refused = decide(false);
  EXPECT_EQ(asked, both);
  EXPECT_EQ(refused[0].verdict, Verdict::kUnknown);
  EXPECT_EQ(refused[0].reason, UnknownReason::kNonAffine);
  EXPECT_EQ(refused[0].atoms.size(), 2U);
  EXPECT_EQ(refused[1].verdict, Verdict::kGuarded);
  const std::vector<Decision> granted = decide(true);
  EXPECT_EQ(granted[0].verdict, Verdict::kProved);
  EXPECT_EQ(granted[1].verdict, Verdict::kGuarded);
}

TEST(Decide, WithoutALinearFormEveryLaneOfEveryDimensionIsCompared) {
  SymbolTable symbols;
  AccessQuery query;
  query.rank = 2;
  query.lanes = 4;
  AccessQuery silent = query;
  silent.guardable = false;
  AccessQuery scalar;
  const std::vector<Decision> d =
      DecideAll(&symbols, {query, silent, scalar}, Budget(), nullptr, true);
  EXPECT_EQ(d[0].verdict, Verdict::kUnknown);
  EXPECT_EQ(d[0].reason, UnknownReason::kMayOverflow);
  ASSERT_EQ(d[0].atoms.size(), 4U);
  for (const GuardAtom& atom : d[0].atoms) {
    EXPECT_TRUE(atom.wide);
    EXPECT_FALSE(atom.uniform);
    EXPECT_EQ(atom.lane, LaneChoice::kEach);
  }
  EXPECT_EQ(d[1].reason, UnknownReason::kUnsupported);
  EXPECT_TRUE(d[1].atoms.empty());
  EXPECT_EQ(d[2].verdict, Verdict::kProved) << "rank 0 has nothing to leave";
}

// A form at the ends of 64 bits ends in a verdict, with atoms, not in an exception.
TEST(Decide, OverflowEndsInAGuard) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  for (int64_t a : {kLeast, kMost}) {
    for (int64_t b : {kLeast, kMost}) {
      SymbolTable symbols;
      SymbolInfo info;
      info.kind = SymbolKind::kShape;
      const LinearExpr x = LinearExpr::Symbol(symbols.Add(info));
      AccessQuery query;
      query.dims = {{x * a, x * b + 5}};
      query.rank = 1;
      query.fits = {{0, x * a, 32, true}};
      std::vector<Decision> d;
      ASSERT_NO_THROW(d = DecideAll(&symbols, {query}, Budget(), nullptr, true)) << a << ", " << b;
      EXPECT_NE(d[0].verdict, Verdict::kProved);
      EXPECT_FALSE(d[0].atoms.empty());
    }
  }
}

}  // namespace
}  // namespace testing
}  // namespace tileguard

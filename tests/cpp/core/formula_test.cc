// Linear expressions and formulas mean what they say, point by point.
#include "model/formula.h"

#include <gtest/gtest.h>

#include <limits>

#include "model/facts.h"
#include "world.h"

namespace tileguard {
namespace testing {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

// constant + sum of coefficients[i] * symbol i, over symbols 0, 1, ...
LinearExpr Linear(const Point& coefficients, int64_t constant) {
  LinearExpr e = constant;
  for (size_t i = 0; i < coefficients.size(); ++i) {
    e = e + LinearExpr::Symbol(static_cast<SymbolId>(i), coefficients[i]);
  }
  return e;
}

Point RandomCoefficients(size_t n, Random* random) {
  Point out;
  for (size_t i = 0; i < n; ++i) out.push_back(random->OneIn(3) ? 0 : random->Int(-4, 4));
  return out;
}

auto At(const Point& point) {
  return [&point](SymbolId s) { return point[static_cast<size_t>(s)]; };
}

Formula RandomFormula(size_t symbols, int depth, Random* random) {
  if (depth == 0 || random->OneIn(3)) {
    const LinearExpr e = Linear(RandomCoefficients(symbols, random), random->Int(-6, 6));
    return random->OneIn(3) ? EqZero(e) : GeZero(e);
  }
  std::vector<Formula> args;
  for (int64_t i = random->Int(0, 3); i > 0; --i) {
    args.push_back(RandomFormula(symbols, depth - 1, random));
  }
  return random->OneIn(2) ? And(std::move(args)) : Or(std::move(args));
}

TEST(LinearExpr, ArithmeticIsPointwise) {
  ForSeeds(300, [](Random* random) {
    const Point ca = RandomCoefficients(3, random);
    const Point cb = RandomCoefficients(3, random);
    const LinearExpr a = Linear(ca, random->Int(-9, 9));
    const LinearExpr b = Linear(cb, random->Int(-9, 9));
    const int64_t factor = random->Int(-3, 3);
    const SymbolId replaced = static_cast<SymbolId>(random->Int(0, 2));
    const LinearExpr substituted = a.Substitute(replaced, b);
    ForEachPoint({-2, -2, -2}, {2, 2, 2}, [&](const Point& p) {
      const int64_t va = Evaluate(a, At(p));
      const int64_t vb = Evaluate(b, At(p));
      ASSERT_EQ(va, a.constant() + ca[0] * p[0] + ca[1] * p[1] + ca[2] * p[2]);
      ASSERT_EQ(Evaluate(a + b, At(p)), va + vb);
      ASSERT_EQ(Evaluate(a - b, At(p)), va - vb);
      ASSERT_EQ(Evaluate(-a, At(p)), -va);
      ASSERT_EQ(Evaluate(a * factor, At(p)), va * factor);
      Point q = p;
      q[static_cast<size_t>(replaced)] = vb;
      ASSERT_EQ(Evaluate(substituted, At(p)), Evaluate(a, At(q)));
    });
  });
}

TEST(LinearExpr, EqualWhateverTheWayItWasMade) {
  ForSeeds(300, [](Random* random) {
    const LinearExpr a = Linear(RandomCoefficients(4, random), random->Int(-9, 9));
    const LinearExpr b = Linear(RandomCoefficients(4, random), random->Int(-9, 9));
    const LinearExpr again = b + a - b;
    EXPECT_EQ(again, a);
    EXPECT_EQ(again.Hash(), a.Hash());
    EXPECT_TRUE((a - a).IsConstant());
    EXPECT_EQ(a == b, (a - b) == LinearExpr(0));
    EXPECT_EQ(a == b, Key(a) == Key(b));
  });
}

TEST(LinearExpr, CoefficientsThatLeave64BitsThrow) {
  const LinearExpr x = LinearExpr::Symbol(0, kMost);
  EXPECT_THROW(x + LinearExpr::Symbol(0), CoefficientOverflow);
  EXPECT_THROW(x * 2, CoefficientOverflow);
  EXPECT_THROW(LinearExpr(kLeast) - 1, CoefficientOverflow);
  EXPECT_THROW(-LinearExpr::Symbol(0, kLeast), CoefficientOverflow);
  EXPECT_THROW(Evaluate(x, [](SymbolId) { return 2; }), CoefficientOverflow);
  EXPECT_EQ(Evaluate(x, [](SymbolId) { return -1; }), -kMost);
}

TEST(LinearExpr, FloorDivideRoundsDown) {
  for (int64_t a = -30; a <= 30; ++a) {
    for (int64_t b = 1; b <= 7; ++b) {
      const int64_t q = FloorDivide(a, b);
      EXPECT_LE(q * b, a);
      EXPECT_LT(a, (q + 1) * b);
    }
  }
  EXPECT_EQ(FloorDivide(kLeast, 1), kLeast);
  EXPECT_EQ(FloorDivide(kLeast, kMost), -2);
}

TEST(LinearExpr, TextNamesTheSymbols) {
  SymbolTable symbols;
  for (const char* name : {"bx", "tx", "n"}) {
    SymbolInfo info;
    info.name = name;
    symbols.Add(std::move(info));
  }
  EXPECT_EQ(ToString(Linear({128, 1, -1}, 1), symbols), "128*bx + tx - n + 1");
  EXPECT_EQ(ToString(Linear({-1, 0, 2}, -3), symbols), "-bx + 2*n - 3");
  EXPECT_EQ(ToString(LinearExpr(0), symbols), "0");
  EXPECT_EQ(ToString(LinearExpr(kLeast), symbols), std::to_string(kLeast));
}

TEST(Formula, NotIsTheComplement) {
  ForSeeds(400, [](Random* random) {
    const Formula f = RandomFormula(3, 3, random);
    const Formula g = Not(f);
    ForEachPoint({-3, -3, -3}, {3, 3, 3},
                 [&](const Point& p) { ASSERT_NE(Holds(f, At(p)), Holds(g, At(p))); });
  });
}

TEST(Formula, ConnectivesArePointwise) {
  ForSeeds(300, [](Random* random) {
    std::vector<Formula> parts;
    for (int64_t i = random->Int(0, 4); i > 0; --i) parts.push_back(RandomFormula(3, 2, random));
    const Formula all = And(parts);
    const Formula any = Or(parts);
    const SymbolId replaced = static_cast<SymbolId>(random->Int(0, 2));
    const LinearExpr value = Linear(RandomCoefficients(3, random), random->Int(-3, 3));
    const Formula substituted = Substitute(all, replaced, value);
    ForEachPoint({-2, -2, -2}, {2, 2, 2}, [&](const Point& p) {
      bool every = true;
      bool some = false;
      for (const Formula& f : parts) {
        const bool holds = Holds(f, At(p));
        every = every && holds;
        some = some || holds;
      }
      ASSERT_EQ(Holds(all, At(p)), every);
      ASSERT_EQ(Holds(any, At(p)), some);
      Point q = p;
      q[static_cast<size_t>(replaced)] = Evaluate(value, At(p));
      ASSERT_EQ(Holds(substituted, At(p)), Holds(all, At(q)));
    });
  });
}

TEST(Formula, ComparisonsArePointwise) {
  const LinearExpr x = LinearExpr::Symbol(0);
  const LinearExpr y = LinearExpr::Symbol(1);
  ForEachPoint({-3, -3}, {3, 3}, [&](const Point& p) {
    EXPECT_EQ(Holds(Ge(x, y), At(p)), p[0] >= p[1]);
    EXPECT_EQ(Holds(Lt(x, y), At(p)), p[0] < p[1]);
    EXPECT_EQ(Holds(Eq(x, y), At(p)), p[0] == p[1]);
  });
  EXPECT_TRUE(Ge(3, 3).IsTrue());
  EXPECT_TRUE(Lt(3, 3).IsFalse());
  EXPECT_TRUE(Eq(x, x).IsTrue());
}

TEST(Formula, EqualFormulasShareHashAndKey) {
  ForSeeds(300, [](Random* random) {
    const Formula f = RandomFormula(2, 2, random);
    const Formula g = random->OneIn(2) ? Not(Not(f)) : RandomFormula(2, 1, random);
    EXPECT_EQ(f == g, Key(f) == Key(g));
    if (f == g) {
      EXPECT_EQ(HashFormula(f), HashFormula(g));
    }
  });
}

TEST(Facts, ListHoldsTheConjuncts) {
  ForSeeds(100, [](Random* random) {
    FactList facts;
    std::vector<Formula> added;
    for (int i = 0; i < 4; ++i) {
      added.push_back(RandomFormula(3, 2, random));
      facts = WithFact(facts, added.back());
    }
    ForEachPoint({-2, -2, -2}, {2, 2, 2}, [&](const Point& p) {
      bool listed = true;
      for (const FactNode* node = facts.get(); node != nullptr; node = node->outer.get()) {
        EXPECT_NE(node->fact.kind, Formula::Kind::kAnd);
        listed = listed && Holds(node->fact, At(p));
      }
      ASSERT_EQ(listed, Holds(And(added), At(p)));
    });
  });
  EXPECT_EQ(WithFact(nullptr, True()), nullptr);
}

}  // namespace
}  // namespace testing
}  // namespace tileguard

// A term's symbol, bounds and definition admit the true value; for quasi-affine terms, it alone.
#include "model/terms.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "prove/prover.h"
#include "world.h"

namespace tileguard {
namespace testing {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

bool Admits(const SymbolInfo& info, SymbolId id, int64_t candidate,
            const std::vector<int64_t>& values) {
  if ((info.lo && candidate < *info.lo) || (info.hi && candidate > *info.hi)) return false;
  return Holds(info.definition,
               [&](SymbolId s) { return s == id ? candidate : values[static_cast<size_t>(s)]; });
}

// Everywhere that the truth of `definition` can change along one symbol: around the zero of each
// constraint, and far out. A value is admitted somewhere exactly if it is at one of these.
std::set<int64_t> CriticalValues(const Formula& definition, SymbolId id,
                                 const std::vector<int64_t>& values) {
  std::set<int64_t> out{-1000000, 1000000};
  ForEachExpr(definition, [&](const LinearExpr& e) {
    const int64_t c = e.Coefficient(id);
    if (c == 0) return;
    const int64_t rest =
        Evaluate(e, [&](SymbolId s) { return s == id ? 0 : values[static_cast<size_t>(s)]; });
    for (int64_t v = -rest / c - 2; v <= -rest / c + 2; ++v) out.insert(v);
  });
  return out;
}

struct Case {
  Box box;
  Tree tree;
};

Case RandomCase(bool products, Random* random) {
  Case out;
  out.box = RandomBox(3, 5, random);
  out.tree = RandomTree({out.box.Variables(), products}, products ? 2 : 3, random);
  return out;
}

TEST(Terms, QuasiAffineTermsAdmitTheTrueValueAlone) {
  ForSeeds(4000, [](Random* random) {
    const Case c = RandomCase(false, random);
    World world(c.box);
    const LinearExpr e = world.Expr(c.tree);
    SCOPED_TRACE(ToString(c.tree));
    ForEachPoint(c.box.lo, c.box.hi, [&](const Point& point) {
      const std::vector<int64_t> values = world.Values(point);
      ASSERT_EQ(Evaluate(e, [&](SymbolId s) { return values[static_cast<size_t>(s)]; }),
                Value(c.tree, point));
      // In the order of creation each symbol is pinned by those before it.
      for (size_t i = c.box.size(); i < world.symbols().size(); ++i) {
        const SymbolId id = static_cast<SymbolId>(i);
        const SymbolInfo& info = world.symbols()[id];
        ASSERT_NE(info.kind, SymbolKind::kOpaque);
        ForEachExpr(info.definition, [&](const LinearExpr& used) {
          for (const LinearExpr::Term& t : used.terms()) ASSERT_LE(t.first, id);
        });
        ASSERT_TRUE(Admits(info, id, values[i], values)) << info.name << " = " << values[i];
        for (int64_t other : CriticalValues(info.definition, id, values)) {
          if (other == values[i]) continue;
          ASSERT_FALSE(Admits(info, id, other, values)) << info.name << " = " << other;
        }
      }
    });
  });
}

TEST(Terms, ProductsAndSymbolicQuotientsAdmitTheTrueValue) {
  int defined = 0;
  int undefined = 0;
  ForSeeds(4000, [&](Random* random) {
    const Case c = RandomCase(true, random);
    World world(c.box);
    const LinearExpr e = world.Expr(c.tree);
    SCOPED_TRACE(ToString(c.tree));
    ForEachPoint(c.box.lo, c.box.hi, [&](const Point& point) {
      const std::vector<int64_t> values = world.Values(point);
      const std::optional<int64_t> truth = ValueOf(c.tree, point);
      ++(truth ? defined : undefined);
      if (truth) {
        ASSERT_EQ(Evaluate(e, [&](SymbolId s) { return values[static_cast<size_t>(s)]; }), *truth);
      }
      // A division by zero has no value, and what is said of it must contradict nothing.
      for (size_t i = c.box.size(); i < world.symbols().size(); ++i) {
        const SymbolId id = static_cast<SymbolId>(i);
        ASSERT_TRUE(Admits(world.symbols()[id], id, values[i], values))
            << world.symbols()[id].name << " = " << values[i];
      }
    });
  });
  EXPECT_GT(defined, 10000);
  EXPECT_GT(undefined, 100);
}

// Every division of every pair around zero: signs, exact quotients, the smallest divisors.
TEST(Terms, DivisionsByAVariableOfAnySign) {
  Box box;
  box.lo = {-7, -3};
  box.hi = {7, 3};
  box.told = {true, true};
  for (Tree::Op op :
       {Tree::Op::kFloorDiv, Tree::Op::kFloorMod, Tree::Op::kTruncDiv, Tree::Op::kTruncMod}) {
    World world(box);
    const Tree tree = Make(op, {Variable(0), Variable(1)});
    const LinearExpr e = world.Expr(tree);
    ForEachPoint(box.lo, box.hi, [&](const Point& point) {
      const std::vector<int64_t> values = world.Values(point);
      auto value = [&](SymbolId s) { return values[static_cast<size_t>(s)]; };
      const std::optional<int64_t> truth = ValueOf(tree, point);
      if (truth) {
        ASSERT_EQ(Evaluate(e, value), *truth) << ToString(tree);
      }
      for (size_t i = 2; i < world.symbols().size(); ++i) {
        const SymbolId id = static_cast<SymbolId>(i);
        ASSERT_TRUE(Admits(world.symbols()[id], id, values[i], values)) << ToString(tree);
      }
    });
  }
}

TEST(Terms, EqualTermsGetTheSameSymbols) {
  ForSeeds(2000, [](Random* random) {
    const Case c = RandomCase(random->OneIn(2), random);
    World world(c.box);
    const LinearExpr once = world.Expr(c.tree);
    const size_t size = world.symbols().size();
    for (SymbolId s = 0; s < static_cast<SymbolId>(size); ++s) {
      if (world.symbols()[s].name.rfind("undefined", 0) == 0) return;  // x / 0: no value to share
    }
    EXPECT_EQ(world.Expr(c.tree), once) << ToString(c.tree);
    EXPECT_EQ(world.symbols().size(), size) << ToString(c.tree);
  });
}

TEST(Terms, BoxDecidesOnlyWhatIsTrueOfEveryPoint) {
  int settled = 0;
  ForSeeds(3000, [&](Random* random) {
    Box box = RandomBox(3, 4, random);
    const Tree tree = RandomTruth({box.Variables(), false}, 2, random);
    World world(box);
    const Formula::Kind kind = world.terms().BoxDecide(world.Truth(tree));
    if (kind != Formula::Kind::kTrue && kind != Formula::Kind::kFalse) return;
    ++settled;
    ForEachPoint(box.lo, box.hi, [&](const Point& point) {
      ASSERT_EQ(Truth(tree, point), kind == Formula::Kind::kTrue) << ToString(tree);
    });
  });
  EXPECT_GT(settled, 50);
}

// 0 <= (a mod c) * b < c * b holds for b >= 0, whatever became of the product, and is of use: the
// prover finds it though no box bounds b.
TEST(Terms, ARemainderTimesASymbolKeepsItsSign) {
  for (int64_t c : {2, 3, 5}) {
    SCOPED_TRACE(std::to_string(c));
    Box box;
    box.lo = {-6, -4};
    box.hi = {6, 4};
    box.told = {false, false};
    World world(box);
    const LinearExpr a = world.leaves()[0];
    const LinearExpr b = world.leaves()[1];
    const LinearExpr product = world.terms().Multiply(world.terms().FloorMod(a, c), b);
    Prover prover(&world.symbols(), 0, 1000);
    EXPECT_EQ(prover.Satisfiable(nullptr, {Ge(b, 0), Ge(-1, product)}).answer, Answer::kNo);
    EXPECT_EQ(prover.Satisfiable(nullptr, {Ge(b, 1), Ge(product, b * c)}).answer, Answer::kNo);
    // A negative factor turns the sign, so nothing may be claimed there.
    EXPECT_NE(prover.Satisfiable(nullptr, {Eq(b, -1), Ge(-1, product)}).answer, Answer::kNo);
    ForEachPoint(box.lo, box.hi, [&](const Point& point) {
      const std::vector<int64_t> values = world.Values(point);
      for (size_t i = 0; i < world.symbols().size(); ++i) {
        const SymbolId id = static_cast<SymbolId>(i);
        ASSERT_TRUE(Admits(world.symbols()[id], id, values[i], values))
            << world.symbols()[id].name << " = " << values[i];
      }
    });
  }
}

TEST(Terms, WhatTheBoundsSettleNeedsNoSymbol) {
  Box box;
  box.lo = {0, 0};
  box.hi = {7, 100};
  box.told = {true, true};
  World world(box);
  const Tree lane = Variable(0);
  const Tree row = Make(Tree::Op::kMul, {Variable(1), Constant(8)});
  const Tree sum = Make(Tree::Op::kAdd, {row, lane});
  EXPECT_EQ(world.Expr(Make(Tree::Op::kFloorDiv, {sum, Constant(8)})), world.leaves()[1]);
  EXPECT_EQ(world.Expr(Make(Tree::Op::kFloorMod, {sum, Constant(8)})), world.leaves()[0]);
  EXPECT_EQ(world.Expr(Make(Tree::Op::kMin, {lane, Constant(7)})), world.leaves()[0]);
  EXPECT_EQ(world.Expr(Make(Tree::Op::kWrapSigned, {lane}, 4)), world.leaves()[0]);
  EXPECT_EQ(world.symbols().size(), 2U);
}

// `a` reduced to `bits` bits, also where the size of the type is beyond int64: -1 in 64 unsigned
// bits is 2^64 - 1, so a test that it is at least 10 succeeds.
TEST(Terms, WideUnsignedWrapNeverKeepsANegativeValue) {
  Box box;
  box.lo = {-2};
  box.hi = {2};
  box.told = {true};
  for (int bits : {61, 62, 63, 64}) {
    SCOPED_TRACE(std::to_string(bits) + " bits");
    World world(box);
    const LinearExpr wrapped = world.terms().Wrap(world.leaves()[0], bits, false);
    Prover prover(&world.symbols(), 0, 1000);
    for (int64_t v = -2; v <= 2; ++v) {
      const Formula at = Eq(world.leaves()[0], v);
      EXPECT_EQ(prover.Satisfiable(nullptr, {at, Ge(-1, wrapped)}).answer, Answer::kNo) << v;
      EXPECT_EQ(prover.Satisfiable(nullptr, {at, Ge(wrapped, 10)}).answer,
                v < 0 ? Answer::kYes : Answer::kNo)
          << v;
      EXPECT_EQ(prover.Satisfiable(nullptr, {at, Eq(wrapped, std::abs(v))}).answer,
                v < 0 ? Answer::kNo : Answer::kYes)
          << v;
    }
  }
}

// Constants at the ends of 64 bits: the answer, or CoefficientOverflow; never undefined behaviour.
TEST(Terms, ExtremeConstantsAreExactOrThrow) {
  const std::vector<int64_t> extremes{kLeast, kLeast + 1, kLeast / 2, -3,
                                      3,      kMost / 2,  kMost - 1,  kMost};
  int answered = 0;
  auto check = [&](Tree::Op op, int64_t factor, int64_t offset, int64_t other) {
    Box box;
    box.lo = {-1};
    box.hi = {1};
    box.told = {true};
    World world(box);
    try {
      const LinearExpr a = world.leaves()[0] * factor + offset;
      const LinearExpr e = op == Tree::Op::kMul        ? world.terms().Multiply(a, other)
                           : op == Tree::Op::kFloorDiv ? world.terms().FloorDiv(a, other)
                           : op == Tree::Op::kFloorMod ? world.terms().FloorMod(a, other)
                                                       : world.terms().TruncDiv(a, other);
      for (int64_t v = -1; v <= 1; ++v) {
        const std::vector<int64_t> values = world.Values({v});
        const __int128 wide = static_cast<__int128>(factor) * v + offset;
        __int128 truth = wide * other;
        if (op != Tree::Op::kMul) {
          truth = wide / other;
          const bool down = wide % other != 0 && (wide < 0) != (other < 0);
          if (op != Tree::Op::kTruncDiv && down) --truth;
          if (op == Tree::Op::kFloorMod) truth = wide - truth * other;
        }
        const __int128 got =
            Evaluate(e, [&](SymbolId s) { return values[static_cast<size_t>(s)]; });
        EXPECT_TRUE(got == truth) << static_cast<int>(op) << ": " << factor << "*" << v << " + "
                                  << offset << ", " << other;
        ++answered;
      }
    } catch (const CoefficientOverflow&) {
    }
  };
  for (Tree::Op op :
       {Tree::Op::kMul, Tree::Op::kFloorDiv, Tree::Op::kFloorMod, Tree::Op::kTruncDiv}) {
    for (int64_t factor : extremes) {
      for (int64_t offset : extremes) {
        for (int64_t other : extremes) check(op, factor, offset, other);
      }
    }
  }
  EXPECT_GT(answered, 100);
}

// Bounds of a product whose ends leave 64 bits are no bounds.
TEST(Terms, ProductsOfHugeVariables) {
  SymbolTable symbols;
  Terms terms(&symbols);
  std::vector<LinearExpr> huge;
  for (const char* name : {"x", "y"}) {
    SymbolInfo info;
    info.name = name;
    info.lo = int64_t{1} << 40;
    huge.push_back(LinearExpr::Symbol(symbols.Add(std::move(info))));
  }
  const LinearExpr product = terms.Multiply(huge[0], huge[1]);
  const Interval bounds = BoxBounds(product, symbols);
  EXPECT_FALSE(bounds.hi);
  // 2^80 is the true least value.
  EXPECT_TRUE(!bounds.lo || *bounds.lo >= 0);
}

TEST(Terms, SymbolBoundsBeyond64BitsAreUnbounded) {
  SymbolTable symbols;
  SymbolInfo info;
  info.lo = kLeast;
  info.hi = kMost;
  const LinearExpr x = LinearExpr::Symbol(symbols.Add(std::move(info)));
  EXPECT_EQ(*BoxBounds(x, symbols).lo, kLeast);
  EXPECT_FALSE(BoxBounds(x - 1, symbols).lo);
  EXPECT_EQ(*BoxBounds(x - 1, symbols).hi, kMost - 1);
  EXPECT_FALSE(BoxBounds(-x, symbols).hi);
  EXPECT_FALSE(BoxBounds(x * 2, symbols).lo);
}

}  // namespace
}  // namespace testing
}  // namespace tileguard

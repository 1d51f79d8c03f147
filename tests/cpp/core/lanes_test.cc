// Conditions freed of their lane say what every lane said.
#include "guard/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "world.h"

namespace tileguard {
namespace testing {
namespace {

// Conditions of a vectorized loop, over two variables and the lane, which is variable 2.
struct Loop {
  Box box;
  std::vector<Tree> facts;
  std::vector<Tree> conditions;

  int64_t last() const { return box.hi[2]; }
  std::vector<Point> Points() const {
    std::vector<Point> out;
    ForEachPoint(box.lo, box.hi, [&](const Point& p) {
      if (std::all_of(facts.begin(), facts.end(), [&](const Tree& f) { return Truth(f, p); })) {
        out.push_back(p);
      }
    });
    return out;
  }
  std::string Text() const {
    std::string out = "lanes: " + std::to_string(last() + 1);
    for (const Tree& f : facts) out += "\nfact " + ToString(f);
    for (const Tree& c : conditions) out += "\ncondition " + ToString(c);
    return out;
  }
};

// Half of the conditions are tile*v0 + lane against something, as vectorized loops have them.
Tree RandomCondition(const Loop& loop, Random* random) {
  if (random->OneIn(2)) return RandomTruth({{0, 1, 2}, false}, 2, random);
  using Op = Tree::Op;
  const Tree base = Make(Op::kMul, {Variable(0), Constant(loop.last() + 1)});
  const Tree index = Make(Op::kAdd, {base, Variable(2)});
  const Tree scaled = Make(Op::kMul, {Variable(1), Constant(random->Int(1, loop.last() + 1))});
  const Tree bound = Make(Op::kAdd, {scaled, Constant(random->Int(-2, 2))});
  return random->OneIn(2) ? Make(Op::kLess, {index, bound}) : Make(Op::kLess, {bound, index});
}

Loop RandomLoop(Random* random) {
  Loop loop;
  loop.box = RandomBox(2, 6, random);
  loop.box.lo.push_back(0);
  loop.box.hi.push_back(random->OneIn(2) ? 1 : 3);
  loop.box.told.push_back(true);
  for (int64_t n = random->Int(0, 2); n > 0; --n) {
    loop.facts.push_back(RandomTruth({{0, 1}, false}, 1, random));
  }
  for (int64_t n = random->Int(1, 3); n > 0; --n) {
    loop.conditions.push_back(RandomCondition(loop, random));
  }
  return loop;
}

std::vector<LaneQuestion> Questions(const Loop& loop, World* world) {
  FactList facts = WithFact(nullptr, world->UntoldBounds());
  for (const Tree& f : loop.facts) facts = WithFact(facts, world->Truth(f));
  std::vector<LaneQuestion> out;
  for (const Tree& c : loop.conditions) {
    LaneQuestion q;
    q.facts = facts;
    q.each = world->Truth(c);
    std::vector<LinearExpr> leaves = world->leaves();
    leaves[2] = 0;
    q.first = ToFormula(c, leaves, &world->terms());
    leaves[2] = loop.last();
    q.last = ToFormula(c, leaves, &world->terms());
    out.push_back(std::move(q));
  }
  return out;
}

bool AtEnd(const Loop& loop, const Tree& condition, LaneChoice lane, Point p) {
  p[2] = lane == LaneChoice::kFirst ? 0 : loop.last();
  return Truth(condition, p);
}

TEST(Lanes, AnswersEqualEnumeration) {
  std::map<std::pair<bool, LaneChoice>, int> seen;
  ForSeeds(1500, [&](Random* random) {
    const Loop loop = RandomLoop(random);
    SCOPED_TRACE(loop.Text());
    const std::vector<Point> points = loop.Points();
    if (points.empty()) return;
    World world(loop.box);
    const std::vector<LaneQuestion> questions = Questions(loop, &world);
    Prover prover(&world.symbols(), 0, 1000000);
    const std::vector<LaneAnswer> answers = FreeLanes(questions, &prover);
    ASSERT_EQ(answers.size(), questions.size());
    for (size_t i = 0; i < answers.size(); ++i) {
      const Tree& c = loop.conditions[i];
      auto agrees = [&](LaneChoice lane) {
        return std::all_of(points.begin(), points.end(),
                           [&](const Point& p) { return AtEnd(loop, c, lane, p) == Truth(c, p); });
      };
      auto suffices = [&](LaneChoice lane) {
        return std::all_of(points.begin(), points.end(),
                           [&](const Point& p) { return !AtEnd(loop, c, lane, p) || Truth(c, p); });
      };
      const LaneAnswer& a = answers[i];
      ++seen[{a.uniform, a.lane}];
      EXPECT_EQ(a.uniform, agrees(LaneChoice::kFirst) || agrees(LaneChoice::kLast)) << i;
      if (a.uniform) {
        EXPECT_TRUE(agrees(a.lane)) << i;
      } else if (a.lane == LaneChoice::kEach) {
        EXPECT_FALSE(suffices(LaneChoice::kFirst) || suffices(LaneChoice::kLast)) << i;
      } else {
        EXPECT_TRUE(suffices(a.lane)) << i;
      }
    }
  });
  for (LaneChoice lane : {LaneChoice::kFirst, LaneChoice::kLast, LaneChoice::kEach}) {
    EXPECT_GT((seen[{false, lane}]), lane == LaneChoice::kEach ? 0 : 10) << static_cast<int>(lane);
  }
  EXPECT_GT((seen[{true, LaneChoice::kFirst}]), 30);
}

TEST(Lanes, SufficientTestsCoverAllAndNoneIsSpare) {
  int fewer = 0;
  ForSeeds(1500, [&](Random* random) {
    const Loop loop = RandomLoop(random);
    SCOPED_TRACE(loop.Text());
    const std::vector<Point> points = loop.Points();
    if (points.empty()) return;
    World world(loop.box);
    const std::vector<LaneQuestion> questions = Questions(loop, &world);
    Prover prover(&world.symbols(), 0, 1000000);
    const std::vector<LaneAnswer> answers = FreeLanes(questions, &prover);
    std::vector<int> tests;
    for (size_t i = 0; i < answers.size(); ++i) {
      if (!answers[i].uniform && answers[i].lane != LaneChoice::kEach) {
        tests.push_back(static_cast<int>(i));
      }
    }
    const std::vector<int> chosen = SufficientTests(questions, answers, tests, &prover);
    fewer += chosen.size() < tests.size() ? 1 : 0;
    auto covers = [&](const std::vector<int>& some) {
      return std::all_of(points.begin(), points.end(), [&](const Point& p) {
        const bool known = std::all_of(some.begin(), some.end(), [&](int i) {
          const size_t at = static_cast<size_t>(i);
          return AtEnd(loop, loop.conditions[at], answers[at].lane, p);
        });
        return !known || std::all_of(tests.begin(), tests.end(), [&](int i) {
          return Truth(loop.conditions[static_cast<size_t>(i)], p);
        });
      });
    };
    EXPECT_TRUE(covers(chosen));
    for (size_t i = 0; i < chosen.size(); ++i) {
      EXPECT_NE(std::find(tests.begin(), tests.end(), chosen[i]), tests.end());
      std::vector<int> without = chosen;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      if (!without.empty()) {
        EXPECT_FALSE(covers(without)) << "test " << chosen[i];
      }
    }
  });
  EXPECT_GT(fewer, 30);
}

// choose(v0 < lane, -1, lane) < v1 with v0 in [0, 2] and four lanes: both ends fold to constants, 0
// and -1, and neither speaks for the lanes between.
TEST(Lanes, AChoiceOfTheLaneIsNotLinear) {
  using Op = Tree::Op;
  Loop loop;
  loop.box.lo = {0, 0, 0};
  loop.box.hi = {2, 5, 3};
  loop.box.told = {true, true, true};
  const Tree before = Make(Op::kLess, {Variable(0), Variable(2)});
  const Tree value = Make(Op::kChoose, {before, Constant(-1), Variable(2)});
  loop.conditions = {Make(Op::kLess, {value, Variable(1)})};
  World world(loop.box);
  Prover prover(&world.symbols(), 0, 1000);
  const LaneAnswer answer = FreeLanes(Questions(loop, &world), &prover)[0];
  EXPECT_FALSE(answer.uniform);
  EXPECT_EQ(answer.lane, LaneChoice::kEach);
}

TEST(Lanes, OverflowMakesNoClaim) {
  SymbolTable symbols;
  SymbolInfo info;
  info.kind = SymbolKind::kLoop;
  const LinearExpr x = LinearExpr::Symbol(symbols.Add(info));
  const LinearExpr lane = LinearExpr::Symbol(symbols.Add(info));
  const int64_t most = std::numeric_limits<int64_t>::max();
  LaneQuestion q;
  q.each = GeZero(x * most + lane + most);
  q.first = GeZero(x * most - most);
  q.last = GeZero(x * most - most + 1);
  Prover prover(&symbols, 0, 1000);
  std::vector<LaneAnswer> answers;
  ASSERT_NO_THROW(answers = FreeLanes({q}, &prover));
  EXPECT_FALSE(answers[0].uniform);
}

// Without budget nothing is uniform that is not, and no end speaks for a vector that it does not.
TEST(Lanes, NoBudgetMakesNoFalseClaim) {
  int modest = 0;
  ForSeeds(1000, [&](Random* random) {
    const Loop loop = RandomLoop(random);
    SCOPED_TRACE(loop.Text());
    const std::vector<Point> points = loop.Points();
    World world(loop.box);
    const std::vector<LaneQuestion> questions = Questions(loop, &world);
    for (uint64_t operations : {1, 64, 1024, 4096}) {
      Prover prover(&world.symbols(), operations, 1000000);
      const std::vector<LaneAnswer> answers = FreeLanes(questions, &prover);
      for (size_t i = 0; i < answers.size(); ++i) {
        const LaneAnswer& a = answers[i];
        modest += a.lane == LaneChoice::kEach ? 1 : 0;
        if (a.lane == LaneChoice::kEach) continue;
        for (const Point& p : points) {
          const bool end = AtEnd(loop, loop.conditions[i], a.lane, p);
          const bool each = Truth(loop.conditions[i], p);
          ASSERT_TRUE(a.uniform ? end == each : !end || each);
        }
      }
    }
  });
  EXPECT_GT(modest, 100);
}

}  // namespace
}  // namespace testing
}  // namespace tileguard

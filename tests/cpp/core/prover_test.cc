// The prover's answers against enumeration: facts and goals over small boxes, every order of the
// symbols, every budget.
#include "prove/prover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "prove/probe.h"
#include "world.h"

namespace tileguard {
namespace testing {
namespace {

constexpr uint64_t kManySearches = 1000000;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

// Do `facts` and `extra` imply `goal`?
struct Question {
  Box box;
  std::vector<Tree> facts;
  std::vector<Tree> extra;
  Tree goal;

  bool Known(const Point& p) const {
    auto holds = [&p](const Tree& t) { return Truth(t, p); };
    return std::all_of(facts.begin(), facts.end(), holds) &&
           std::all_of(extra.begin(), extra.end(), holds);
  }
  std::string Text() const {
    std::string out;
    for (const Tree& t : facts) out += ToString(t) + "; ";
    out += "and ";
    for (const Tree& t : extra) out += ToString(t) + "; ";
    return out + "imply " + ToString(goal);
  }
};

Question RandomQuestion(size_t variables, Random* random) {
  Question q;
  q.box = RandomBox(variables, 5, random);
  const Grammar grammar{q.box.Variables(), false};
  for (int64_t n = random->Int(0, 3); n > 0; --n)
    q.facts.push_back(RandomTruth(grammar, 2, random));
  if (random->OneIn(3)) q.extra.push_back(RandomTruth(grammar, 2, random));
  q.goal = RandomTruth(grammar, 2, random);
  return q;
}

// By enumeration. `consistent`: some point satisfies what is known.
struct Oracle {
  explicit Oracle(const Question& q) {
    ForEachPoint(q.box.lo, q.box.hi, [&](const Point& p) {
      if (!q.Known(p)) return;
      consistent = true;
      implied = implied && Truth(q.goal, p);
    });
  }
  bool consistent = false;
  bool implied = true;
};

// The same question to a prover of its own.
class Asked {
 public:
  Asked(const Question& q, const std::vector<size_t>& order, uint64_t operations, uint64_t searches)
      : world_(q.box, order), goal_(world_.Truth(q.goal)) {
    facts_ = WithFact(nullptr, world_.UntoldBounds());
    for (const Tree& t : q.facts) facts_ = WithFact(facts_, world_.Truth(t));
    for (const Tree& t : q.extra) extra_.push_back(world_.Truth(t));
    prover_.emplace(&world_.symbols(), operations, searches);
  }

  Proof Implies() {
    prover_->StartAccess();
    return prover_->Implies(facts_, goal_, extra_);
  }
  Proof Satisfiable() {
    prover_->StartAccess();
    std::vector<Formula> all = extra_;
    all.push_back(goal_);
    return prover_->Satisfiable(facts_, all);
  }
  // Can the variables that `witness` leaves free be chosen so that `wanted` holds?
  template <typename Wanted>
  bool Extends(const Box& box, const Assignment& witness, const Wanted& wanted) const {
    Point lo = box.lo;
    Point hi = box.hi;
    for (const auto& [symbol, value] : witness) {
      const int variable = world_.VariableOf(symbol);
      if (variable < 0) continue;
      const size_t v = static_cast<size_t>(variable);
      if (value < box.lo[v] || value > box.hi[v]) return false;
      lo[v] = hi[v] = value;
    }
    bool found = false;
    ForEachPoint(lo, hi, [&](const Point& p) { found = found || wanted(p); });
    return found;
  }

 private:
  World world_;
  Formula goal_;
  FactList facts_;
  std::vector<Formula> extra_;
  std::optional<Prover> prover_;
};

std::vector<size_t> InOrder(size_t n) {
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Where nothing satisfies what is known, either answer is right: facts that share no symbol with
// the goal are left out.
void ExpectExactAnswers(const Question& q, const Oracle& oracle, Asked* asked) {
  const Proof implied = asked->Implies();
  const Proof satisfiable = asked->Satisfiable();
  ASSERT_NE(implied.answer, Answer::kUnknown);
  ASSERT_NE(satisfiable.answer, Answer::kUnknown);
  if (!oracle.consistent) return;
  ASSERT_EQ(implied.Holds(), oracle.implied);
  if (!implied.Holds()) {
    ASSERT_TRUE(asked->Extends(q.box, implied.witness,
                               [&](const Point& p) { return q.Known(p) && !Truth(q.goal, p); }));
  }
  bool exists = false;
  ForEachPoint(q.box.lo, q.box.hi,
               [&](const Point& p) { exists = exists || (q.Known(p) && Truth(q.goal, p)); });
  ASSERT_EQ(satisfiable.answer, exists ? Answer::kYes : Answer::kNo);
  if (exists) {
    ASSERT_TRUE(asked->Extends(q.box, satisfiable.witness,
                               [&](const Point& p) { return q.Known(p) && Truth(q.goal, p); }));
  }
}

TEST(Prover, EqualsEnumerationUnderAllOrdersOfSymbols) {
  int implied = 0;
  int refuted = 0;
  ForSeeds(3000, [&](Random* random) {
    const Question q = RandomQuestion(static_cast<size_t>(random->Int(1, 3)), random);
    SCOPED_TRACE(q.Text());
    const Oracle oracle(q);
    if (oracle.consistent) ++(oracle.implied ? implied : refuted);
    std::vector<size_t> order = InOrder(q.box.size());
    do {
      Asked asked(q, order, 0, kManySearches);
      ExpectExactAnswers(q, oracle, &asked);
      if (::testing::Test::HasFailure()) return;
    } while (std::next_permutation(order.begin(), order.end()));
  });
  EXPECT_GT(implied, 40);
  EXPECT_GT(refuted, 100);
}

TEST(Prover, FourVariablesAndMoreFacts) {
  ForSeeds(1500, [&](Random* random) {
    Question q = RandomQuestion(4, random);
    const Grammar grammar{q.box.Variables(), false};
    for (int i = 0; i < 3; ++i) q.facts.push_back(RandomTruth(grammar, 1, random));
    SCOPED_TRACE(q.Text());
    Asked asked(q, InOrder(4), 0, kManySearches);
    ExpectExactAnswers(q, Oracle(q), &asked);
  });
}

TEST(Prover, AsksAgainAnswersAgain) {
  ForSeeds(500, [&](Random* random) {
    const Question q = RandomQuestion(3, random);
    Asked asked(q, InOrder(3), 0, kManySearches);
    const Proof once = asked.Implies();
    asked.Satisfiable();
    const Proof twice = asked.Implies();
    EXPECT_EQ(once.answer, twice.answer);
    EXPECT_EQ(once.witness, twice.witness);
  });
}

// For every budget of operations and of searches: the answer of the full budget or kUnknown.
TEST(Prover, EveryBudgetGivesTheFullAnswerOrUnknown) {
  int unknown = 0;
  ForSeeds(500, [&](Random* random) {
    const Question q = RandomQuestion(3, random);
    SCOPED_TRACE(q.Text());
    Asked full(q, InOrder(3), 0, kManySearches);
    const Answer implied = full.Implies().answer;
    const Answer satisfiable = full.Satisfiable().answer;
    auto expect_same = [&](uint64_t operations, uint64_t searches) {
      Asked asked(q, InOrder(3), operations, searches);
      for (int again = 0; again < 2; ++again) {
        const Answer i = asked.Implies().answer;
        const Answer s = asked.Satisfiable().answer;
        EXPECT_TRUE(i == implied || i == Answer::kUnknown) << operations << ", " << searches;
        EXPECT_TRUE(s == satisfiable || s == Answer::kUnknown) << operations << ", " << searches;
        unknown += i == Answer::kUnknown || s == Answer::kUnknown ? 1 : 0;
      }
    };
    for (int k = 0; k <= 16; ++k) {
      expect_same(uint64_t{1} << k, kManySearches);
      expect_same(0, (uint64_t{1} << k) - 1);
    }
  });
  EXPECT_GT(unknown, 100);
}

// What one access could not afford is open to the next.
TEST(Prover, AFreshBudgetDecidesWhatTheSpentOneLeftOpen) {
  SymbolTable symbols;
  SymbolInfo info;
  info.kind = SymbolKind::kMemory;
  const LinearExpr x = LinearExpr::Symbol(symbols.Add(info));
  const LinearExpr y = LinearExpr::Symbol(symbols.Add(info));
  constexpr uint64_t kOperations = 2000;
  Prover prover(&symbols, kOperations, kManySearches);
  // 14x + 21y is a multiple of 7, so never 7k + 1.
  auto ask = [&](int64_t k) {
    return prover.Satisfiable(nullptr, {EqZero(x * 14 + y * 21 - (7 * k + 1))}).answer;
  };
  int64_t k = 0;
  while (ask(k) == Answer::kNo) ASSERT_LT(++k, 1000) << "the budget is never spent";
  EXPECT_EQ(ask(k), Answer::kUnknown);
  prover.StartAccess();
  EXPECT_EQ(ask(k), Answer::kNo);
}

// Answers may be kYes for products only where they are true.
TEST(Prover, LemmasOfProductsProveNothingFalse) {
  int implied = 0;
  ForSeeds(4000, [&](Random* random) {
    Question q;
    q.box = RandomBox(3, 4, random);
    const Grammar grammar{q.box.Variables(), true};
    for (int64_t n = random->Int(0, 2); n > 0; --n) {
      q.facts.push_back(RandomTruth(grammar, 2, random));
    }
    q.goal = RandomTruth(grammar, 2, random);
    // A program that divides by zero means nothing: such points are no evidence.
    bool consistent = false;
    bool true_everywhere = true;
    ForEachPoint(q.box.lo, q.box.hi, [&](const Point& p) {
      for (const Tree& t : q.facts) {
        if (ValueOf(t, p).value_or(0) == 0) return;
      }
      consistent = true;
      true_everywhere = true_everywhere && ValueOf(q.goal, p).value_or(1) != 0;
    });
    SCOPED_TRACE(q.Text());
    Asked asked(q, InOrder(3), 0, kManySearches);
    const bool proved = asked.Implies().Holds();
    implied += proved ? 1 : 0;
    if (proved && consistent) {
      EXPECT_TRUE(true_everywhere);
    }
  });
  EXPECT_GT(implied, 50);
}

// Arithmetic that leaves 64 bits anywhere on the way is kUnknown, not an exception.
TEST(Prover, OverflowIsUnknown) {
  for (int64_t huge : {kLeast, kLeast + 1, kMost}) {
    SymbolTable symbols;
    SymbolInfo info;
    info.lo = kLeast;
    info.hi = kMost;
    const LinearExpr x = LinearExpr::Symbol(symbols.Add(info));
    const LinearExpr y = LinearExpr::Symbol(symbols.Add(info));
    Prover prover(&symbols, 10000, 100);
    const FactList facts = WithFact(nullptr, GeZero(x * huge + y * huge));
    for (const Formula& goal : {GeZero(x * huge + y), EqZero(x * huge + huge), GeZero(x + huge),
                                Or({GeZero(x * huge), EqZero(y * huge + 1)}),
                                And({GeZero(x * huge), GeZero(y * huge)})}) {
      EXPECT_NO_THROW(prover.Implies(facts, goal));
      EXPECT_NO_THROW(prover.Implies(facts, goal, {GeZero(y * kLeast)}));
      EXPECT_NO_THROW(prover.Satisfiable(facts, {goal}));
    }
  }
}

TEST(Prover, BoundsAtTheEndsOf64Bits) {
  for (const auto& [lo, hi] : std::vector<std::pair<int64_t, int64_t>>{
           {kMost - 3, kMost}, {kLeast + 1, kLeast + 4}, {kLeast + 1, kMost}, {kMost, kMost}}) {
    SymbolTable symbols;
    SymbolInfo info;
    info.lo = lo;
    info.hi = hi;
    const LinearExpr x = LinearExpr::Symbol(symbols.Add(info));
    Prover prover(&symbols, 0, kManySearches);
    const Proof above = prover.Satisfiable(nullptr, {Not(EqZero(x))});
    EXPECT_EQ(above.answer, Answer::kYes);
    EXPECT_TRUE(prover.Implies(nullptr, Or({GeZero(x), Ge(-1, x)})).Holds());
    EXPECT_EQ(prover.Satisfiable(nullptr, {Eq(x * 2, 1)}).answer, Answer::kNo);
  }
}

// A point that is returned satisfies every formula, also at the ends of 64 bits.
TEST(Probe, PointsSatisfyTheConjunction) {
  int found = 0;
  ForSeeds(600, [&](Random* random) {
    Box box = RandomBox(3, 6, random);
    const Tree first = RandomTruth({box.Variables(), true}, 2, random);
    const Tree second = RandomTruth({box.Variables(), true}, 2, random);
    World world(box);
    const std::vector<Formula> conjunction{world.Truth(first), world.Truth(second)};
    const std::optional<Assignment> point = Probe(world.symbols(), conjunction);
    if (!point) return;
    ++found;
    Point values = box.lo;  // whatever the point leaves free may be anything in its bounds
    for (size_t i = 0; i < 3; ++i) {
      auto at = point->find(world.id(i));
      if (at == point->end()) continue;
      values[i] = at->second;
      if (!box.told[i]) continue;
      EXPECT_LE(box.lo[i], values[i]);
      EXPECT_GE(box.hi[i], values[i]);
    }
    EXPECT_NE(ValueOf(first, values).value_or(1), 0) << ToString(first);
    EXPECT_NE(ValueOf(second, values).value_or(1), 0) << ToString(second);
  });
  EXPECT_GT(found, 200);

  for (const auto& [lo, hi] :
       std::vector<std::pair<std::optional<int64_t>, std::optional<int64_t>>>{
           {kMost - 3, std::nullopt},
           {std::nullopt, kLeast + 3},
           {kLeast, kMost},
           {kMost, kMost},
           {kLeast, kLeast},
           {3, -3}}) {
    for (SymbolKind kind : {SymbolKind::kShape, SymbolKind::kLoop, SymbolKind::kOpaque}) {
      SymbolTable symbols;
      SymbolInfo info;
      info.kind = kind;
      info.lo = lo;
      info.hi = hi;
      const SymbolId x = symbols.Add(info);
      const Formula odd = Not(EqZero(LinearExpr::Symbol(x) - 5));
      if (const std::optional<Assignment> point = Probe(symbols, {odd})) {
        EXPECT_NE(point->at(x), 5);
      }
    }
  }
}

}  // namespace
}  // namespace testing
}  // namespace tileguard

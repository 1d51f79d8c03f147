// A counter-example replays, and a shape condition makes every enumerated execution safe.
#include "prove/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <sstream>

#include "program.h"

namespace tileguard {
namespace testing {
namespace {

std::vector<size_t> InOrder(const Program& program) {
  std::vector<size_t> order(program.box.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::string Name(size_t variable) { return "v" + std::to_string(variable); }

// The map of the example in which a symbol of this kind belongs.
const std::map<std::string, int64_t>& Place(const CounterExample& e, SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kShape:
      return e.shapes;
    case SymbolKind::kBlock:
      return e.block;
    case SymbolKind::kThread:
      return e.thread;
    case SymbolKind::kLoop:
    case SymbolKind::kLane:
      return e.loops;
    default:
      return e.values;
  }
}

bool Agrees(const Program& program, const CounterExample& e, const Point& p) {
  for (size_t v = 0; v < p.size(); ++v) {
    const auto& place = Place(e, program.box.kinds[v]);
    const auto found = place.find(Name(v));
    if (found != place.end() && found->second != p[v]) return false;
  }
  return true;
}

TEST(CounterExample, ReplaysInEveryExecutionThatAgreesWithIt) {
  int examples = 0;
  ForSeeds(800, [&](Random* random) {
    const Program program = RandomProgram(random);
    SCOPED_TRACE(program.Text());
    const Decided decided(program, InOrder(program), Unlimited(), true);
    for (size_t id = 0; id < program.accesses.size(); ++id) {
      SCOPED_TRACE("access " + std::to_string(id));
      const std::vector<Point> executions = Executions(program, id);
      if (executions.empty()) continue;
      const std::optional<CounterExample>& e = decided[id].counterexample;
      ASSERT_EQ(e.has_value(), decided[id].verdict != Verdict::kProved);
      if (!e) continue;
      ++examples;
      EXPECT_TRUE(e->index < 0 || e->index >= e->extent);
      const TreeDim& dim = program.accesses[id].dims.at(static_cast<size_t>(e->dim));
      int agreeing = 0;
      for (const Point& p : executions) {
        if (!Agrees(program, *e, p)) continue;
        ++agreeing;
        ASSERT_EQ(Value(dim.index, p), e->index);
        ASSERT_EQ(Value(dim.extent, p), e->extent);
      }
      EXPECT_GT(agreeing, 0) << "no execution has these values";
    }
  });
  EXPECT_GT(examples, 200);
}

// x[n + i] of extent n: n falls out of the comparison, and still the example has to name it.
TEST(CounterExample, NamesSymbolsThatCancelOut) {
  SymbolTable symbols;
  auto add = [&](const char* name, SymbolKind kind, int64_t lo, int64_t hi) {
    SymbolInfo info;
    info.name = name;
    info.kind = kind;
    info.lo = lo;
    info.hi = hi;
    return LinearExpr::Symbol(symbols.Add(std::move(info)));
  };
  const LinearExpr n = add("n", SymbolKind::kShape, 3, 100);
  const LinearExpr i = add("i", SymbolKind::kLoop, -2, 1);
  AccessQuery query;
  query.dims = {{n + i, n}};
  query.rank = 1;
  AccessQuery beyond = query;
  beyond.facts = WithFact(nullptr, Ge(n, 17));
  for (const Decision& d : DecideAll(&symbols, {query, beyond}, Unlimited(), nullptr, true)) {
    ASSERT_TRUE(d.counterexample);
    const CounterExample& e = *d.counterexample;
    ASSERT_EQ(e.shapes.count("n"), 1U);
    ASSERT_EQ(e.loops.count("i"), 1U);
    EXPECT_GE(e.shapes.at("n"), 3);
    EXPECT_EQ(e.index, e.shapes.at("n") + e.loops.at("i"));
    EXPECT_EQ(e.extent, e.shapes.at("n"));
    EXPECT_TRUE(e.index < 0 || e.index >= e.extent);
  }
}

TEST(CounterExample, PrefersSmallShapes) {
  SymbolTable symbols;
  SymbolInfo info;
  info.name = "n";
  info.kind = SymbolKind::kShape;
  info.lo = 0;
  info.hi = std::numeric_limits<int32_t>::max();
  const LinearExpr n = LinearExpr::Symbol(symbols.Add(info));
  info.name = "i";
  info.kind = SymbolKind::kLoop;
  info.hi = 127;
  const LinearExpr i = LinearExpr::Symbol(symbols.Add(info));
  AccessQuery query;
  query.dims = {{i, n}};
  query.rank = 1;
  const std::vector<Decision> d = DecideAll(&symbols, {query}, Unlimited(), nullptr, true);
  ASSERT_TRUE(d[0].counterexample);
  EXPECT_LE(d[0].counterexample->shapes.at("n"), 16);
}

// One comparison of a shape condition: `n % c == 0`, `n >= c`, `n <= c` or `n <= m`.
class Condition {
 public:
  explicit Condition(const std::string& text) {
    std::istringstream words(text);
    std::string shape;
    std::string other;
    std::string rest;
    words >> shape >> op_ >> other;
    std::getline(words, rest);
    other_is_shape_ = IsVariable(other);
    const bool known = op_ == "%" ? rest == " == 0" && !other_is_shape_
                                  : (op_ == ">=" || op_ == "<=") && rest.empty();
    if (!known || !IsVariable(shape)) {
      ADD_FAILURE() << "not a condition a user can assume: " << text;
      return;
    }
    shape_ = std::stoul(shape.substr(1));
    other_ = std::stoll(other.substr(other_is_shape_ ? 1 : 0));
  }

  bool Holds(const Point& p) const {
    const int64_t other = other_is_shape_ ? p[static_cast<size_t>(other_)] : other_;
    if (op_ == "%") return p[shape_] % other == 0;
    return op_ == ">=" ? p[shape_] >= other : p[shape_] <= other;
  }
  bool IsOfShapes(const Program& program) const {
    auto is_shape = [&](size_t v) { return program.box.kinds[v] == SymbolKind::kShape; };
    return is_shape(shape_) && (!other_is_shape_ || is_shape(static_cast<size_t>(other_)));
  }

 private:
  static bool IsVariable(const std::string& word) { return word.size() > 1 && word[0] == 'v'; }

  std::string op_;
  size_t shape_ = 0;
  bool other_is_shape_ = false;
  int64_t other_ = 1;
};

std::vector<Condition> Parse(const std::string& text) {
  static const std::string kAnd = " and ";
  std::vector<Condition> out;
  size_t at = 0;
  for (size_t end = text.find(kAnd); end != std::string::npos; end = text.find(kAnd, at)) {
    out.emplace_back(text.substr(at, end - at));
    at = end + kAnd.size();
  }
  out.emplace_back(text.substr(at));
  return out;
}

TEST(ShapeCondition, MakesEveryExecutionSafe) {
  int conditions = 0;
  ForSeeds(1500, [&](Random* random) {
    const Program program = RandomProgram(random);
    SCOPED_TRACE(program.Text());
    const Decided decided(program, InOrder(program), Unlimited(), true);
    for (size_t id = 0; id < program.accesses.size(); ++id) {
      if (!decided[id].safe_if) continue;
      ++conditions;
      SCOPED_TRACE("access " + std::to_string(id) + " if " + *decided[id].safe_if);
      EXPECT_TRUE(decided[id].verdict == Verdict::kGuarded);
      const std::vector<Condition> parts = Parse(*decided[id].safe_if);
      for (const Condition& part : parts) ASSERT_TRUE(part.IsOfShapes(program));
      const std::vector<Point> executions = Executions(program, id);
      int met = 0;
      for (const Point& p : executions) {
        const bool holds =
            std::all_of(parts.begin(), parts.end(), [&](const Condition& c) { return c.Holds(p); });
        if (!holds) continue;
        ++met;
        ASSERT_TRUE(InBounds(program.accesses[id], p));
      }
      // Advice that no execution can follow is no help.
      EXPECT_TRUE(met > 0 || executions.empty());
    }
  });
  EXPECT_GT(conditions, 100);
}

struct Tiled {
  SymbolTable symbols;
  Terms terms{&symbols};
  LinearExpr n, bx, tx;

  LinearExpr Add(const char* name, SymbolKind kind, int64_t hi) {
    SymbolInfo info;
    info.name = name;
    info.kind = kind;
    info.lo = 0;
    info.hi = hi;
    return LinearExpr::Symbol(symbols.Add(std::move(info)));
  }
  Tiled() {
    n = Add("n", SymbolKind::kShape, std::numeric_limits<int32_t>::max());
    bx = Add("bx", SymbolKind::kBlock, std::numeric_limits<int32_t>::max());
    tx = Add("tx", SymbolKind::kThread, 127);
  }
  std::optional<std::string> SafeIf(const AccessQuery& query) {
    return DecideAll(&symbols, {query}, Budget(), nullptr, true)[0].safe_if;
  }
};

// The words of spec.md: the line to add to a kernel whose last tile is ragged.
TEST(ShapeCondition, RaggedTileAsksForDivisibility) {
  Tiled t;
  AccessQuery query;
  query.dims = {{t.bx * 128 + t.tx, t.n}};
  query.rank = 1;
  query.facts = WithFact(nullptr, Lt(t.bx, t.terms.FloorDiv(t.n + 127, 128)));
  EXPECT_EQ(t.SafeIf(query), "n % 128 == 0");
}

TEST(ShapeCondition, ConstantIndexAsksForALeastExtent) {
  Tiled t;
  AccessQuery query;
  query.dims = {{5, t.n}};
  query.rank = 1;
  EXPECT_EQ(t.SafeIf(query), "n >= 6");
}

TEST(ShapeCondition, TwoExtentsAskForTheirOrder) {
  Tiled t;
  const LinearExpr m = t.Add("m", SymbolKind::kShape, std::numeric_limits<int32_t>::max());
  const LinearExpr i = t.Add("i", SymbolKind::kLoop, std::numeric_limits<int32_t>::max());
  AccessQuery query;
  query.dims = {{i, t.n}};
  query.rank = 1;
  query.facts = WithFact(nullptr, Lt(i, m));
  EXPECT_EQ(t.SafeIf(query), "m <= n");
}

TEST(ShapeCondition, NoneWhereNoShapeHelps) {
  Tiled t;
  AccessQuery query;
  query.dims = {{t.tx, 100}};
  query.rank = 1;
  EXPECT_EQ(t.SafeIf(query), std::nullopt);
}

}  // namespace
}  // namespace testing
}  // namespace tileguard

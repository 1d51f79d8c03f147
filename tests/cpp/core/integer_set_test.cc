// FindPoint against enumeration, whatever the order of the dimensions, the size of the coefficients
// and the budget.
#include "sets/integer_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "random.h"

namespace tileguard {
namespace testing {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

// A system whose every solution lies in the box [-bound, bound].
struct Bounded {
  IntegerSystem system;
  Point bound;
};

__int128 At(const std::vector<int64_t>& row, const Point& point) {
  __int128 sum = row.back();
  for (size_t i = 0; i < point.size(); ++i) sum += static_cast<__int128>(row[i]) * point[i];
  return sum;
}

bool Contains(const IntegerSystem& system, const Point& point) {
  return std::all_of(system.equalities.begin(), system.equalities.end(),
                     [&](const auto& row) { return At(row, point) == 0; }) &&
         std::all_of(system.inequalities.begin(), system.inequalities.end(),
                     [&](const auto& row) { return At(row, point) >= 0; });
}

bool HasPoint(const Bounded& bounded) {
  bool found = false;
  Point lo;
  for (int64_t b : bounded.bound) lo.push_back(-b);
  ForEachPoint(lo, bounded.bound,
               [&](const Point& p) { found = found || Contains(bounded.system, p); });
  return found;
}

// -b_i <= x_i + sum over j < i of c_ij x_j <= b_i bounds every variable, not only in axis-parallel
// boxes; a few random constraints cut it further.
Bounded RandomSystem(Random* random) {
  Bounded out;
  const size_t dims = static_cast<size_t>(random->Int(1, 4));
  out.system.dims = dims;
  for (size_t i = 0; i < dims; ++i) {
    std::vector<int64_t> row(dims + 1, 0);
    row[i] = 1;
    int64_t bound = random->Int(0, 2);
    row[dims] = bound;
    for (size_t j = 0; j < i; ++j) {
      row[j] = random->OneIn(2) ? 0 : random->Int(-1, 1);
      bound += std::abs(row[j]) * out.bound[j];
    }
    out.bound.push_back(bound);
    out.system.inequalities.push_back(row);
    for (size_t j = 0; j < dims; ++j) row[j] = -row[j];
    out.system.inequalities.push_back(row);
  }
  auto random_row = [&] {
    std::vector<int64_t> row;
    for (size_t i = 0; i < dims; ++i) row.push_back(random->OneIn(3) ? 0 : random->Int(-5, 5));
    row.push_back(random->Int(-7, 7));
    return row;
  };
  for (int64_t n = random->Int(0, 3); n > 0; --n) out.system.inequalities.push_back(random_row());
  for (int64_t n = random->Int(0, 2); n > 0; --n) out.system.equalities.push_back(random_row());
  return out;
}

std::vector<int64_t> Permuted(const std::vector<int64_t>& row, const std::vector<size_t>& order) {
  std::vector<int64_t> out = row;
  for (size_t i = 0; i < order.size(); ++i) out[order[i]] = row[i];
  return out;
}

IntegerSystem Permuted(const IntegerSystem& system, const std::vector<size_t>& order) {
  IntegerSystem out = system;
  for (auto& row : out.equalities) row = Permuted(row, order);
  for (auto& row : out.inequalities) row = Permuted(row, order);
  return out;
}

// The outcome is exact and a point is one of the system.
void ExpectExact(const SearchResult& result, const IntegerSystem& system, bool has_point) {
  ASSERT_EQ(result.outcome, has_point ? SearchOutcome::kPoint : SearchOutcome::kEmpty);
  if (has_point) {
    ASSERT_EQ(result.point.size(), system.dims);
    ASSERT_TRUE(Contains(system, result.point));
  }
}

TEST(FindPoint, EqualsEnumerationUnderAllPermutations) {
  int with = 0;
  int without = 0;
  SetContext context;
  ForSeeds(2000, [&](Random* random) {
    const Bounded bounded = RandomSystem(random);
    const bool expected = HasPoint(bounded);
    ++(expected ? with : without);
    std::vector<size_t> order(bounded.system.dims);
    std::iota(order.begin(), order.end(), 0);
    do {
      const IntegerSystem system = Permuted(bounded.system, order);
      ExpectExact(context.FindPoint(system), system, expected);
    } while (std::next_permutation(order.begin(), order.end()));
  });
  EXPECT_GT(with, 100);
  EXPECT_GT(without, 50);
}

// K*e + r >= 0 with 0 <= r < K says e >= 0, however large K is.
TEST(FindPoint, HugeCoefficientsAreExact) {
  SetContext context;
  ForSeeds(1000, [&](Random* random) {
    Bounded bounded = RandomSystem(random);
    const bool expected = HasPoint(bounded);
    for (auto& row : bounded.system.inequalities) {
      const int64_t k = int64_t{1} << random->Int(30, 57);
      for (int64_t& c : row) c *= k;
      row.back() += random->Int(0, k - 1);
    }
    for (auto& row : bounded.system.equalities) {
      const int64_t k = random->Int(1, 2) << random->Int(30, 56);
      for (int64_t& c : row) c *= k;
    }
    ASSERT_EQ(HasPoint(bounded), expected);
    ExpectExact(context.FindPoint(bounded.system), bounded.system, expected);
  });
}

TEST(FindPoint, CoefficientsAtTheEndsOf64Bits) {
  SetContext context;
  IntegerSystem indivisible{2, {{kMost, -kMost, -1}}, {}};
  EXPECT_TRUE(context.FindPoint(indivisible).IsEmpty());
  IntegerSystem least{1, {{kLeast, kLeast}}, {}};
  const SearchResult minus_one = context.FindPoint(least);
  ASSERT_TRUE(minus_one.HasPoint());
  EXPECT_EQ(minus_one.point[0], -1);
  IntegerSystem coprime{2, {{kMost, kMost - 1, -1}}, {}};
  const SearchResult found = context.FindPoint(coprime);
  ASSERT_TRUE(found.HasPoint());
  EXPECT_TRUE(Contains(coprime, found.point));
  for (int64_t end : {kLeast, kMost}) {
    IntegerSystem exactly{1, {{-1, end}}, {}};
    const SearchResult at_end = context.FindPoint(exactly);
    ASSERT_TRUE(at_end.HasPoint());
    EXPECT_EQ(at_end.point[0], end);
  }
}

TEST(FindPoint, APointBeyond64BitsIsNoAnswer) {
  SetContext context;
  IntegerSystem beyond{2, {{-1, 0, kMost}, {2, -1, 0}}, {}};
  EXPECT_EQ(context.FindPoint(beyond).outcome, SearchOutcome::kQuota);
  IntegerSystem within{1, {{-1, 5}}, {}};
  EXPECT_TRUE(context.FindPoint(within).HasPoint());
}

TEST(FindPoint, NoDimensions) {
  SetContext context;
  EXPECT_TRUE(context.FindPoint({0, {}, {}}).HasPoint());
  EXPECT_TRUE(context.FindPoint({0, {{0}}, {{0}, {7}}}).HasPoint());
  EXPECT_TRUE(context.FindPoint({0, {}, {{-1}}}).IsEmpty());
  EXPECT_TRUE(context.FindPoint({0, {{3}}, {}}).IsEmpty());
}

TEST(FindPoint, UnboundedSetsHavePoints) {
  SetContext context;
  EXPECT_TRUE(context.FindPoint({3, {}, {}}).HasPoint());
  IntegerSystem cone{2, {{3, -5, 1}}, {{1, 0, -1000000}}};
  const SearchResult found = context.FindPoint(cone);
  ASSERT_TRUE(found.HasPoint());
  EXPECT_TRUE(Contains(cone, found.point));
}

// For every budget: the full answer or kQuota, and a budget that ran out does no harm to the next.
TEST(FindPoint, EveryBudgetGivesTheFullAnswerOrQuota) {
  int quota = 0;
  int decided = 0;
  SetContext context;
  ForSeeds(300, [&](Random* random) {
    const Bounded bounded = RandomSystem(random);
    const bool expected = HasPoint(bounded);
    for (int k = 0; k <= 20; ++k) {
      context.StartBudget(uint64_t{1} << k);
      const SearchResult result = context.FindPoint(bounded.system);
      if (result.outcome == SearchOutcome::kQuota) {
        ++quota;
        ASSERT_LT(k, 20) << "a million operations do not suffice";
        // The budget stays spent until the next one starts.
        EXPECT_EQ(context.FindPoint(bounded.system).outcome, SearchOutcome::kQuota);
      } else {
        ++decided;
        ExpectExact(result, bounded.system, expected);
      }
    }
    context.StartBudget(0);
    ExpectExact(context.FindPoint(bounded.system), bounded.system, expected);
  });
  EXPECT_GT(quota, 60);
  EXPECT_GT(decided, 60);
}

// A budget that suffices once suffices every time: each start is a fresh one.
TEST(FindPoint, EachBudgetStartsAfresh) {
  ForSeeds(20, [](Random* random) {
    const Bounded bounded = RandomSystem(random);
    const bool expected = HasPoint(bounded);
    SetContext context;
    uint64_t enough = 1;
    for (context.StartBudget(enough);
         context.FindPoint(bounded.system).outcome == SearchOutcome::kQuota;
         context.StartBudget(enough)) {
      enough *= 2;
    }
    for (int again = 0; again < 50; ++again) {
      context.StartBudget(enough);
      ExpectExact(context.FindPoint(bounded.system), bounded.system, expected);
    }
  });
}

TEST(FindPoint, SearchesAreCounted) {
  SetContext context;
  EXPECT_EQ(context.searches(), 0U);
  context.FindPoint({1, {}, {}});
  context.FindPoint({1, {{2, 1}}, {}});
  EXPECT_EQ(context.searches(), 2U);
}

}  // namespace
}  // namespace testing
}  // namespace tileguard

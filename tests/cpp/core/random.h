// Seeded choices for the tests: every failure prints the seed that repeats it.
#ifndef TILEGUARD_TESTS_CPP_CORE_RANDOM_H_
#define TILEGUARD_TESTS_CPP_CORE_RANDOM_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace tileguard {
namespace testing {

/*! \brief A deterministic source of small choices. */
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  /*! \brief An integer in [lo, hi]. */
  int64_t Int(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(engine_);
  }
  /*! \brief True once in `n` on average. */
  bool OneIn(int n) { return Int(1, n) == 1; }
  template <typename T>
  T Pick(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(Int(0, static_cast<int64_t>(choices.size()) - 1))];
  }

 private:
  std::mt19937 engine_;
};

/*! \brief TILEGUARD_TEST_SEED of the environment, else a fixed one. */
inline uint32_t FirstSeed() {
  const char* text = std::getenv("TILEGUARD_TEST_SEED");
  return text == nullptr ? 20261201U : static_cast<uint32_t>(std::stoul(text));
}

/*!
 * \brief Calls `body(&random)` for `cases` consecutive seeds and stops after the first that fails.
 */
template <typename Body>
void ForSeeds(int cases, const Body& body) {
  for (int i = 0; i < cases && !::testing::Test::HasFailure(); ++i) {
    const uint32_t seed = FirstSeed() + static_cast<uint32_t>(i);
    SCOPED_TRACE("repeat with TILEGUARD_TEST_SEED=" + std::to_string(seed));
    Random random(seed);
    body(&random);
  }
}

using Point = std::vector<int64_t>;

/*! \brief Calls `visit(point)` for every integer point of the box lo <= point <= hi. */
template <typename Visit>
void ForEachPoint(const Point& lo, const Point& hi, const Visit& visit) {
  for (size_t i = 0; i < lo.size(); ++i) {
    if (lo[i] > hi[i]) return;
  }
  Point at = lo;
  for (bool more = true; more;) {
    visit(static_cast<const Point&>(at));
    more = false;
    for (size_t i = 0; i < at.size() && !more; ++i) {
      more = at[i] < hi[i];
      at[i] = more ? at[i] + 1 : lo[i];
    }
  }
}

}  // namespace testing
}  // namespace tileguard

#endif  // TILEGUARD_TESTS_CPP_CORE_RANDOM_H_

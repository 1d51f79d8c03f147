// No search and no context leaks: 10,000 of each leave the process as large as it was.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "prove/prover.h"
#include "sets/integer_set.h"

namespace tileguard {
namespace testing {
namespace {

constexpr int kRuns = 10000;
#if defined(__SANITIZE_ADDRESS__)

// Freed memory stays mapped here; the leak check, which knows every block, takes the place of the
// resident size.
template <typename Body>
void ExpectFlat(const Body& body) {
  for (int i = 0; i < kRuns; ++i) body(i);
  EXPECT_EQ(__lsan_do_recoverable_leak_check(), 0);
}

#else

// A leak of one machine word a run is 80 kB and two blocks of malloc are 320 kB; the allocator's
// own noise stays below this.
constexpr int64_t kTolerance = 256 << 10;

/*! \brief Resident set of this process, in bytes. */
int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t size = 0;
  int64_t resident = 0;
  statm >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

template <typename Body>
void ExpectFlat(const Body& body) {
  for (int i = 0; i < kRuns / 10; ++i) body(i);
  const int64_t before = ResidentBytes();
  for (int i = 0; i < kRuns; ++i) body(i);
  const int64_t growth = ResidentBytes() - before;
  EXPECT_LT(growth, kTolerance) << "bytes after " << kRuns << " runs";
}

#endif

// 3x + 5y - 7z = r in a box, empty for some r.
IntegerSystem Search(int run) {
  const int64_t r = run % 50;
  return {3,
          {{3, 5, -7, -r}, {2, 0, 4, -r}},
          {{1, 0, 0, 9}, {-1, 0, 0, 9}, {0, 1, 0, 9}, {0, -1, 0, 9}, {0, 0, 1, 9}, {0, 0, -1, 9}}};
}

TEST(Memory, SearchesInOneContext) {
  SetContext context;
  context.StartBudget(0);
  ExpectFlat([&](int run) { context.FindPoint(Search(run)); });
}

TEST(Memory, SearchesThatRunOutOfBudget) {
  SetContext context;
  int quota = 0;
  ExpectFlat([&](int run) {
    context.StartBudget(static_cast<uint64_t>(1 + run % 400));
    quota += context.FindPoint(Search(run)).outcome == SearchOutcome::kQuota ? 1 : 0;
  });
  EXPECT_GT(quota, kRuns / 100);
}

TEST(Memory, ContextsComeAndGo) {
  ExpectFlat([](int run) {
    SetContext context;
    context.StartBudget(run % 2 == 0 ? 0 : 30);
    context.FindPoint(Search(run));
  });
}

TEST(Memory, ProversComeAndGo) {
  SymbolTable symbols;
  SymbolInfo info;
  info.name = "x";
  const LinearExpr x = LinearExpr::Symbol(symbols.Add(info));
  info.name = "n";
  const LinearExpr n = LinearExpr::Symbol(symbols.Add(info));
  const FactList facts = WithFact(WithFact(nullptr, Lt(x, n)), Or({Ge(x, 3), Ge(-3, x)}));
  ExpectFlat([&](int run) {
    Prover prover(&symbols, run % 2 == 0 ? 0 : 50, 100);
    prover.Implies(facts, Lt(x * 2, n + run % 7));
    prover.Satisfiable(facts, {Eq(x * 2, n * 4 + 1)});
  });
}

}  // namespace
}  // namespace testing
}  // namespace tileguard

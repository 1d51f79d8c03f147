// What is known and decided of one access, in words that need no compiler: the data of the report.
#ifndef TILEGUARD_MODEL_ACCESS_H_
#define TILEGUARD_MODEL_ACCESS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tileguard {

/*! \brief The closed set of verdicts of spec.md. */
enum class Verdict { kProved, kGuarded, kOutOfBounds, kUnknown };

/*! \brief Why a verdict is kUnknown. */
enum class UnknownReason { kNone, kNonAffine, kQuota, kUnsupported, kMayOverflow };

enum class AccessKind { kLoad, kStore, kAtomic, kCopyAsync, kPointer };

/*!
 * \brief Which lane's index an atom speaks of: none mentioned, the first's or last's, every lane
 * its own.
 */
enum class LaneChoice { kNone, kFirst, kLast, kEach };

/*!
 * \brief One comparison of a guard: `index_d >= 0`, or `index_d < extent_d` when `upper`.
 * `uniform`: the comparison of lane `lane` has the same truth for every lane. When it is not, and
 * `lane` is kFirst or kLast, that comparison is the test for a full vector. `positive_extent`: the
 * comparison `0 < extent_d` says the same here and is cheaper. `wide`: computed in 64 bits.
 */
struct GuardAtom {
  int dim = 0;
  bool upper = false;
  LaneChoice lane = LaneChoice::kNone;
  bool uniform = true;
  bool positive_extent = false;
  bool wide = false;
  bool both_bounds = false;  // compared as unsigned 64-bit integers: one below zero is far above
};

/*! \brief Concrete values under which the access leaves its buffer. */
struct CounterExample {
  std::map<std::string, int64_t> shapes;
  std::map<std::string, int64_t> block;
  std::map<std::string, int64_t> thread;
  std::map<std::string, int64_t> loops;
  std::map<std::string, int64_t> values;  // read from memory, or of terms no formula describes
  int dim = 0;
  int64_t index = 0;
  int64_t extent = 0;
};

/*!
 * \brief The decision on one access. Invariant: kProved has no atoms; kGuarded has at least one.
 */
struct Decision {
  Verdict verdict = Verdict::kUnknown;
  UnknownReason reason = UnknownReason::kNone;
  std::vector<GuardAtom> atoms;
  // [lane][atom], where lanes may disagree: whether the lane, taken alone, makes the comparison;
  // empty when each makes all.
  std::vector<std::vector<bool>> lane_tests;
  std::optional<CounterExample> counterexample;
  std::optional<std::string> safe_if;

  bool NeedsGuard() const { return !atoms.empty(); }
  /*! \brief No atom tells two lanes apart. */
  bool LanesAgree() const;
};

const char* ToString(Verdict v);
const char* ToString(UnknownReason r);
const char* ToString(AccessKind k);

}  // namespace tileguard

#endif  // TILEGUARD_MODEL_ACCESS_H_

// Integer points of one conjunction of linear constraints, decided by isl.
#ifndef TILEGUARD_SETS_INTEGER_SET_H_
#define TILEGUARD_SETS_INTEGER_SET_H_

#include <cstdint>
#include <memory>
#include <vector>

namespace tileguard {

/*!
 * \brief The points x in Z^dims with row . (x, 1) == 0 for every equality row and >= 0 for every
 * inequality row. A row holds `dims` coefficients and then the constant.
 */
struct IntegerSystem {
  size_t dims = 0;
  std::vector<std::vector<int64_t>> equalities;
  std::vector<std::vector<int64_t>> inequalities;
};

/*! \brief The closed set of outcomes of a search for an integer point. */
enum class SearchOutcome {
  kEmpty,  // no integer point: exact
  kPoint,  // `point` is one
  kQuota,  // the budget ran out, or isl failed: nothing is known
};

struct SearchResult {
  SearchOutcome outcome = SearchOutcome::kQuota;
  std::vector<int64_t> point;

  bool IsEmpty() const { return outcome == SearchOutcome::kEmpty; }
  bool HasPoint() const { return outcome == SearchOutcome::kPoint; }
};

/*!
 * \brief An isl context with an operation budget. Owned by one run on one thread, never shared.
 * Every failure inside isl ends as SearchOutcome::kQuota; nothing is thrown.
 */
class SetContext {
 public:
  SetContext();
  ~SetContext();
  SetContext(const SetContext&) = delete;
  SetContext& operator=(const SetContext&) = delete;

  /*! \brief Starts a budget of `operations` of isl's own counter; 0 means unlimited. */
  void StartBudget(uint64_t operations);
  /*! \brief An integer point of `system`, or the proof that there is none. */
  SearchResult FindPoint(const IntegerSystem& system);
  /*! \brief Number of FindPoint calls so far. */
  uint64_t searches() const { return searches_; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  uint64_t searches_ = 0;
};

}  // namespace tileguard

#endif  // TILEGUARD_SETS_INTEGER_SET_H_

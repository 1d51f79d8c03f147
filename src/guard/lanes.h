// Frees the conditions of a vectorized loop of their lane.
#ifndef TILEGUARD_GUARD_LANES_H_
#define TILEGUARD_GUARD_LANES_H_

#include <vector>

#include "../model/access.h"
#include "../model/facts.h"
#include "../prove/prover.h"

namespace tileguard {

/*! \brief A conjunct as the prover sees it; see LaneAtom. */
struct LaneQuestion {
  Formula each;
  Formula first;
  Formula last;
  bool hoistable = false;
  FactList facts;
};

/*!
 * \brief `uniform`: the conjunct with the lane at `lane` has the same truth for every lane.
 * Not uniform and `lane` kFirst or kLast: it implies the conjunct for every lane (the test for a
 * full vector). Not uniform and kEach: neither end speaks for the vector.
 */
struct LaneAnswer {
  bool uniform = false;
  LaneChoice lane = LaneChoice::kEach;
};

/*! \brief One answer a question. */
std::vector<LaneAnswer> FreeLanes(const std::vector<LaneQuestion>& questions, Prover* prover);

/*!
 * \brief Which of the full-vector tests in `tests` (indices into `questions`, all answered
 * non-uniform) suffice: the smallest subset, found greedily, that implies every lane's conjunct for
 * all of `tests`.
 */
std::vector<int> SufficientTests(const std::vector<LaneQuestion>& questions,
                                 const std::vector<LaneAnswer>& answers,
                                 const std::vector<int>& tests, Prover* prover);

}  // namespace tileguard

#endif  // TILEGUARD_GUARD_LANES_H_

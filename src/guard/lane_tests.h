// Which comparisons one lane needs when a vector is taken apart.
#ifndef TILEGUARD_GUARD_LANE_TESTS_H_
#define TILEGUARD_GUARD_LANE_TESTS_H_

#include <vector>

#include "../model/access.h"
#include "../model/query.h"
#include "../model/symbols.h"
#include "../prove/prover.h"

namespace tileguard {

/*!
 * \brief For each lane and each of `atoms`: does that lane have to make the comparison? False where
 * the facts and the lane's other comparisons settle it.
 * \param extra what holds besides the facts of `query`, for every lane.
 * \return [lane][atom]; empty when the lane does not enter the indices linearly, which means that
 * every lane makes every comparison.
 */
std::vector<std::vector<bool>> LaneTests(const SymbolTable& symbols, const AccessQuery& query,
                                         const std::vector<GuardAtom>& atoms,
                                         const std::vector<Formula>& extra, Prover* prover);

}  // namespace tileguard

#endif  // TILEGUARD_GUARD_LANE_TESTS_H_

// The decision on every access of a function: verdict, and the fewest comparisons that make it
// safe.
#ifndef TILEGUARD_GUARD_DECIDE_H_
#define TILEGUARD_GUARD_DECIDE_H_

#include <functional>
#include <vector>

#include "../model/access.h"
#include "../model/query.h"
#include "../prove/prover.h"

namespace tileguard {

/*! \brief The prover's limits; see Options. */
struct Budget {
  uint64_t operations_per_access = 100000;
  uint64_t searches_per_function = 20000;
};

/*!
 * \brief Asked about a comparison that the sets leave open because of a non-affine term; true only
 * for a proof. Arguments: id of the access, dimension, upper bound or lower.
 */
using SecondOpinion = std::function<bool(int id, int dim, bool upper)>;

/*!
 * \brief Decides the accesses in order. Guarantees, for each kept set of atoms: together with the
 * facts they imply every bound, and no atom follows from the facts and the other atoms.
 *
 * \param queries in program order; `under` refers to earlier ones.
 * \param symbols grows by the symbols that explanations need.
 * \param explain also find counter-examples (costs further searches).
 */
std::vector<Decision> DecideAll(SymbolTable* symbols, const std::vector<AccessQuery>& queries,
                                const Budget& budget, const SecondOpinion& second_opinion,
                                bool explain);

}  // namespace tileguard

#endif  // TILEGUARD_GUARD_DECIDE_H_

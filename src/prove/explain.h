// What a user wants to know of an access that is not proved: an input that breaks it, a fact that
// saves it.
#ifndef TILEGUARD_PROVE_EXPLAIN_H_
#define TILEGUARD_PROVE_EXPLAIN_H_

#include <optional>
#include <string>
#include <vector>

#include "../model/access.h"
#include "../model/query.h"
#include "prover.h"

namespace tileguard {

/*! \brief A bound that the facts leave open, in linear form. */
struct OpenBound {
  int dim = 0;
  Formula in_bounds;
};

/*!
 * \brief An assignment under which `bound` fails, with shapes as small as a few tries find.
 * \param extra formulas known besides the facts of `query`.
 */
std::optional<CounterExample> FindCounterExample(const SymbolTable& symbols,
                                                 const AccessQuery& query,
                                                 const std::vector<Formula>& extra,
                                                 const OpenBound& bound, Prover* prover);

/*!
 * \brief A condition on shapes alone that implies every bound in `bounds`, as Python source
 * (`n % 8 == 0`). Candidates are divisibility by the constants of the index and of the facts, least
 * and largest extents, and order between two extents; each is checked by the prover, the weakest
 * found wins.
 */
std::optional<std::string> FindShapeCondition(SymbolTable* symbols, const AccessQuery& query,
                                              const std::vector<Formula>& extra,
                                              const std::vector<OpenBound>& bounds, Prover* prover);

}  // namespace tileguard

#endif  // TILEGUARD_PROVE_EXPLAIN_H_

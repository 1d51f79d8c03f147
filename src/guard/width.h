// Does 64-bit arithmetic hold what a guard compares?
#ifndef TILEGUARD_GUARD_WIDTH_H_
#define TILEGUARD_GUARD_WIDTH_H_

#include <vector>

#include "../model/query.h"
#include "../model/symbols.h"
#include "../prove/prover.h"

namespace tileguard {

/*!
 * \brief True when `e`, or an operand of a quotient in it, may leave [-2^63, 2^63). A guard is
 * computed in 64 bits at most: an index beyond them wraps past a bound that it keeps as a
 * mathematical integer, so both bounds have to be compared. Values read from memory may be any of
 * 64 bits; sizes, loop variables and blocks without a bound of their own are taken for at most
 * 2^31.
 */
bool MayLeave64Bits(const LinearExpr& e, const SymbolTable& symbols, const AccessQuery& query,
                    const std::vector<Formula>& extra, Prover* prover);

}  // namespace tileguard

#endif  // TILEGUARD_GUARD_WIDTH_H_

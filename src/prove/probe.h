// Guesses points of a set before anyone computes with it.
#ifndef TILEGUARD_PROVE_PROBE_H_
#define TILEGUARD_PROVE_PROBE_H_

#include <optional>
#include <vector>

#include "../model/assignment.h"
#include "../model/symbols.h"

namespace tileguard {

/*!
 * \brief Tries a fixed number of assignments, corners of the symbols' bounds first, with defined
 * symbols computed by their meaning. A point that is returned satisfies every formula of
 * `conjunction`; nullopt says nothing. Most bounds that do need a guard are refuted here, at a
 * thousandth of a search's cost.
 */
std::optional<Assignment> Probe(const SymbolTable& symbols,
                                const std::vector<Formula>& conjunction);

}  // namespace tileguard

#endif  // TILEGUARD_PROVE_PROBE_H_

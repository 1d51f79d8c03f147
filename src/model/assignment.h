// Integers for symbols.
#ifndef TILEGUARD_MODEL_ASSIGNMENT_H_
#define TILEGUARD_MODEL_ASSIGNMENT_H_

#include <cstdint>
#include <unordered_map>

#include "linear.h"

namespace tileguard {

/*! \brief Integers for the symbols that matter; a symbol not in the map is free. */
using Assignment = std::unordered_map<SymbolId, int64_t>;

}  // namespace tileguard

#endif  // TILEGUARD_MODEL_ASSIGNMENT_H_

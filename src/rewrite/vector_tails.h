// Keeps vectors vectors: conditions that mention the lane leave the vectorized loop.
#ifndef TILEGUARD_REWRITE_VECTOR_TAILS_H_
#define TILEGUARD_REWRITE_VECTOR_TAILS_H_

#include <tvm/tirx/function.h>

#include "../model/options.h"

namespace tileguard {

/*!
 * \brief Rewrites vectorized loops whose body tests the lane.
 *
 * Where all lanes agree, the test is written without the lane. Where only the last vector is
 * ragged,
 *
 *     for v in vectorized(8): if base + v < n: C[base + v] = ...
 *
 * becomes
 *
 *     if base + 7 < n: for v in vectorized(8): C[base + v] = ...
 *     else:            for v in serial(8):     if base + v < n: C[base + v] = ...
 *
 * A cp.async in the ragged loop turns into element copies: single elements are no legal transfer.
 * Loops are left alone when a test reads memory, when no end of the vector speaks for all of it, or
 * when the body does more than load, compute, store and copy.
 * \param only_copies leaves loops without a cp.async as they are, for functions that need no guard:
 * the host cannot lower a cp.async whose predicate mentions the lane, whoever wrote it.
 */
tvm::tirx::PrimFunc KeepVectors(const tvm::tirx::PrimFunc& func, const Options& options,
                                bool only_copies);

}  // namespace tileguard

#endif  // TILEGUARD_REWRITE_VECTOR_TAILS_H_

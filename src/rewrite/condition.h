// The comparison text of a guard, built from an access's own indices.
#ifndef TILEGUARD_REWRITE_CONDITION_H_
#define TILEGUARD_REWRITE_CONDITION_H_

#include <tvm/tirx/expr.h>

#include <unordered_map>

#include "../extract/site.h"
#include "../model/access.h"

namespace tileguard {

/*! \brief `a` and `b`; `b` alone where `a` is undefined, `a` where `b` is one of its conjuncts. */
tvm::PrimExpr Conjunction(const tvm::PrimExpr& a, const tvm::PrimExpr& b);

/*! \brief The integer expression `e` computed in 64 bits: leaves are cast, arithmetic follows. */
tvm::PrimExpr Widened(const tvm::PrimExpr& e);

/*!
 * \brief Vector loads that a guard took apart, `full ? A[ramp] : Shuffle(lanes)`, each with its
 * lanes as they are to be read by themselves: a lane of the shuffle may take for granted that
 * `full` fails.
 */
using RaggedLoads = std::unordered_map<tvm::PrimExpr, tvm::ffi::Array<tvm::PrimExpr>,
                                       tvm::ffi::ObjectPtrHash, tvm::ffi::ObjectPtrEqual>;

/*!
 * \brief Lane `lane` of a vector expression, as a scalar expression; a scalar is its own lane.
 * Lanes of the loads in `ragged` are those that it gives.
 */
tvm::PrimExpr LaneOf(const tvm::PrimExpr& e, int lane, const RaggedLoads* ragged = nullptr);

/*!
 * \brief `indices` as the address is to be computed under the guard of `decision`: where the
 * comparison is made in 64 bits because an operand may not fit its type, and wrapping would change
 * more than the sum (under a minimum, a quotient, a choice), the address is computed in 64 bits
 * too.
 */
tvm::ffi::Array<tvm::PrimExpr> AddressIndices(const AccessSite& site, const Decision& decision,
                                              tvm::ffi::Array<tvm::PrimExpr> indices);

/*!
 * \brief The conjunction of the atoms of `decision` over `indices` (the site's, rewritten), for
 * every lane and element of the access. In a vectorized loop it speaks of the loop's own lane, and
 * is free of it where all lanes agree. True without atoms; false for an always-outside access.
 */
tvm::PrimExpr BuildCondition(const AccessSite& site, const Decision& decision,
                             const tvm::ffi::Array<tvm::PrimExpr>& indices);

/*!
 * \brief The condition for lane or element `lane` alone.
 * \param full_failed the full-vector condition of this access is known to fail: a single test of
 * one lane has then settled that lane, and the condition is false.
 */
tvm::PrimExpr BuildLaneCondition(const AccessSite& site, const Decision& decision,
                                 const tvm::ffi::Array<tvm::PrimExpr>& indices, int lane,
                                 bool full_failed = true);

}  // namespace tileguard

#endif  // TILEGUARD_REWRITE_CONDITION_H_

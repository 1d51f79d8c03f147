// Simplification of expressions without any context.
#ifndef TILEGUARD_EXTRACT_SIMPLIFY_H_
#define TILEGUARD_EXTRACT_SIMPLIFY_H_

#include <tvm/tirx/expr.h>

namespace tileguard {

/*!
 * \brief `e` by the host's rewriting rules, nothing known of its variables. They move terms from
 * one side of a comparison to the other, which a sum that wraps does not survive: what chooses a
 * value by one comes back as it was, so that a guard and its address choose alike. One simplifier
 * a thread: making one takes longer (1.5 ms, it starts a solver) than the whole pass on a small
 * function.
 */
tvm::PrimExpr Simplified(const tvm::PrimExpr& e);

}  // namespace tileguard

#endif  // TILEGUARD_EXTRACT_SIMPLIFY_H_

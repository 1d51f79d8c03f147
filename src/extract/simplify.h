// Simplification of expressions without any context.
#ifndef TILEGUARD_EXTRACT_SIMPLIFY_H_
#define TILEGUARD_EXTRACT_SIMPLIFY_H_

#include <tvm/tirx/expr.h>

namespace tileguard {

/*!
 * \brief `e` by the host's rewriting rules, nothing known of its variables. One simplifier a
 * thread: making one takes longer (1.5 ms, it starts a solver) than the whole pass on a small
 * function.
 */
tvm::PrimExpr Simplified(const tvm::PrimExpr& e);

}  // namespace tileguard

#endif  // TILEGUARD_EXTRACT_SIMPLIFY_H_

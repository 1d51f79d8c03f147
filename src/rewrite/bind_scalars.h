// Reads and effects of an index, each evaluated once and in front of the access.
#ifndef TILEGUARD_REWRITE_BIND_SCALARS_H_
#define TILEGUARD_REWRITE_BIND_SCALARS_H_

#include <tvm/tirx/expr.h>
#include <tvm/tirx/stmt.h>

#include <string>

namespace tileguard {

/*!
 * \brief `e` over variables instead of what it reads or draws, arithmetic and choices left in
 * place, so that its value can be compared in a wider type. Each variable is bound in `prologue`,
 * in the order of evaluation; what `e` evaluates only under a condition is bound to zero where that
 * condition fails.
 * \param name stem of the variables' names.
 */
tvm::PrimExpr BindScalars(const tvm::PrimExpr& e, const std::string& name, const tvm::Span& span,
                          tvm::ffi::Array<tvm::tirx::Stmt>* prologue);

}  // namespace tileguard

#endif  // TILEGUARD_REWRITE_BIND_SCALARS_H_

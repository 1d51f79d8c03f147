// A cp.async as plain stores, for what the instruction cannot do.
#ifndef TILEGUARD_REWRITE_COPY_ELEMENTS_H_
#define TILEGUARD_REWRITE_COPY_ELEMENTS_H_

#include <tvm/tirx/expr.h>
#include <tvm/tirx/stmt.h>

#include <functional>

namespace tileguard {

/*!
 * \brief `target[.., i + e] = value(e)` for each element e of the copy; `value` gets the element's
 * number and its source, `source[.., j + e]`. The thread sees its own stores at once, other threads
 * after the barrier that waits for the copy in any case.
 * \param inside the test that an element's target is inside; undefined where it is.
 */
tvm::tirx::Stmt StoreElements(const tvm::tirx::Call& copy,
                              const std::function<tvm::PrimExpr(int, tvm::tirx::BufferLoad)>& value,
                              const std::function<tvm::PrimExpr(int)>& inside = nullptr);

/*! \brief The copy element by element; where its predicate is false the target gets zeros, as
 * cp.async gives. */
tvm::tirx::Stmt CopyElements(const tvm::tirx::Call& copy);

}  // namespace tileguard

#endif  // TILEGUARD_REWRITE_COPY_ELEMENTS_H_

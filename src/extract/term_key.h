// A text that two expressions share exactly when they compute the same pure term.
#ifndef TILEGUARD_EXTRACT_TERM_KEY_H_
#define TILEGUARD_EXTRACT_TERM_KEY_H_

#include <tvm/tirx/expr.h>

#include <functional>
#include <string>

namespace tileguard {

/*!
 * \brief Prints `e` with its scalar integers through `int_key`, its comparisons of such through
 * `bool_key` and its memory through `view`.
 * \param int_key  the key of an integer sub-term in linear form.
 * \param bool_key the key of a comparison as a formula.
 * \param view     names memory, its layout and its present contents: it changes when a read of the
 *                 buffer may give another value.
 */
std::string PrintTermKey(const tvm::PrimExpr& e,
                         const std::function<std::string(const tvm::PrimExpr&)>& int_key,
                         const std::function<std::string(const tvm::PrimExpr&)>& bool_key,
                         const std::function<std::string(const tvm::tirx::Buffer&)>& view);

}  // namespace tileguard

#endif  // TILEGUARD_EXTRACT_TERM_KEY_H_

// A text that two expressions share exactly when they compute the same pure term.
#ifndef TILEGUARD_EXTRACT_TERM_KEY_H_
#define TILEGUARD_EXTRACT_TERM_KEY_H_

#include <tvm/tirx/expr.h>

#include <functional>
#include <string>

namespace tileguard {

/*!
 * \brief Prints `e` with its integer sub-terms through `int_key` and its memory through `epoch`.
 * \param int_key the key of an integer sub-term in linear form.
 * \param epoch   changes when a read of the buffer may give another value.
 */
std::string PrintTermKey(const tvm::PrimExpr& e,
                         const std::function<std::string(const tvm::PrimExpr&)>& int_key,
                         const std::function<std::string(const tvm::tirx::Buffer&)>& epoch);

}  // namespace tileguard

#endif  // TILEGUARD_EXTRACT_TERM_KEY_H_

// Elements of a buffer packed into the 32-bit words of a wide load or store, and back.
#ifndef TILEGUARD_REWRITE_WORDS_H_
#define TILEGUARD_REWRITE_WORDS_H_

#include <tvm/tirx/expr.h>

#include <vector>

namespace tileguard {

/*!
 * \brief `elements` (equal types of 8, 16, 32 or 64 bits, first element lowest) as one value of
 * type `words`: uint32 or a vector of it. Undefined for other widths.
 */
tvm::PrimExpr PackWords(const std::vector<tvm::PrimExpr>& elements, const tvm::DataType& words);

/*! \brief Element `index` of type `element` in `words`; undefined for widths that PackWords
 * refuses. */
tvm::PrimExpr UnpackWord(const tvm::PrimExpr& words, int index, const tvm::DataType& element);

/*! \brief The indices of element `flat` of the flattened buffer. */
tvm::ffi::Array<tvm::PrimExpr> Unflatten(const tvm::tirx::Buffer& buffer,
                                         const tvm::PrimExpr& flat);

}  // namespace tileguard

#endif  // TILEGUARD_REWRITE_WORDS_H_

// Public C++ interface of libtileguard.so.
//
//   tvm::IRModule safe = tileguard::transform::LegalizeSafeMemoryAccess()(mod);
#ifndef TILEGUARD_TILEGUARD_H_
#define TILEGUARD_TILEGUARD_H_

#include <tvm/ir/module.h>
#include <tvm/ir/transform.h>

#include <string>

namespace tileguard {

namespace transform {

/*!
 * \brief The pass: every access to global memory that may leave its buffer gets the fewest
 * comparisons that keep it inside; a load outside yields the buffer's safe value, a store outside
 * is skipped.
 *
 * A drop-in for tl.transform.LegalizeSafeMemoryAccess, before or after layout inference, in front
 * of Simplify. Reads the pass configuration tl.disable_safe_memory_legalize,
 * tl.disable_out_of_bound_warning and the tileguard.* options. A module whose every access is
 * proved comes back unchanged, and so does the pass's own output.
 */
tvm::transform::Pass LegalizeSafeMemoryAccess();

/*!
 * \brief In front of a pipeline: a fact about memory that its own scope writes becomes a fact about
 * an immutable copy, so that no later pass deletes a test by it.
 */
tvm::transform::Pass FreezeMutableReads();

/*!
 * \brief In place of tl.transform.LegalizeNegativeIndex: a literal negative index counts from the
 * end, every other index means itself.
 */
tvm::transform::Pass LegalizeNegativeIndex();

}  // namespace transform

/*!
 * \brief The verdict on every access of `mod`, shared and local memory included, as JSON text.
 * The schema is docs/report-schema.json. Options come from the current pass context.
 */
std::string AnalyzeJSON(const tvm::IRModule& mod);

}  // namespace tileguard

#endif  // TILEGUARD_TILEGUARD_H_

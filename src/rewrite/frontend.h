// What has to happen before the host's pipeline starts.
#ifndef TILEGUARD_REWRITE_FRONTEND_H_
#define TILEGUARD_REWRITE_FRONTEND_H_

#include <tvm/tirx/function.h>

namespace tileguard {

/*!
 * \brief Freezes reads of mutable memory that a fact is made of.
 *
 * The host's simplifier takes the condition of an `if`, an assert, a T.assume and the extent of a
 * loop as facts of their whole scope, and compares them by text: after `if at[0] < n: at[0] += 13`,
 * it deletes a second `if at[0] < n` inside, the author's or ours. A condition whose memory is
 * written in its scope is therefore read into an immutable variable first, and the fact is one of
 * that variable. Conditions whose memory stays as it is are left alone. An assumption about memory
 * that other threads write says nothing that lasts and is dropped.
 */
tvm::tirx::PrimFunc FreezeMutableReads(tvm::tirx::PrimFunc func);

/*!
 * \brief A literal negative index counts from the end of its dimension, as in Python: `x[-1]` is
 * `x[n - 1]`. Any other index means itself, whatever the compiler can prove of it; negative is
 * outside.
 */
tvm::tirx::PrimFunc LegalizeNegativeIndex(tvm::tirx::PrimFunc func);

/*!
 * \brief Takes copies away from the bulk (TMA) engine whose source has a safe value other than zero
 * and may reach beyond it: the engine's own bounds fill with zeros. Such a copy is made by threads,
 * where our guards fill it. One that asks for the engine by name keeps it, with a warning.
 */
tvm::tirx::PrimFunc KeepHardwareFills(tvm::tirx::PrimFunc func);

}  // namespace tileguard

#endif  // TILEGUARD_REWRITE_FRONTEND_H_

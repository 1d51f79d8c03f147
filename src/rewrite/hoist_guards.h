// Guards that a loop does not change are tested once, in front of it.
#ifndef TILEGUARD_REWRITE_HOIST_GUARDS_H_
#define TILEGUARD_REWRITE_HOIST_GUARDS_H_

#include <tvm/tirx/function.h>

namespace tileguard {

/*!
 * \brief Unswitches serial loops on the invariant part of the tests inside.
 *
 *     for j in serial(256): acc += x[row, j] if row < n else 0
 *
 * becomes
 *
 *     if row < n: for j in serial(256): acc += x[row, j]
 *     else:       for j in serial(256): acc += 0
 *
 * Outermost loop first. Only where evaluating the test early is harmless (no memory, no division by
 * a variable) and where the loop holds nothing that all threads of a block must reach together: no
 * shared memory, since barriers are yet to be put around it, and no call with an effect.
 */
tvm::tirx::PrimFunc HoistGuards(tvm::tirx::PrimFunc func);

}  // namespace tileguard

#endif  // TILEGUARD_REWRITE_HOIST_GUARDS_H_

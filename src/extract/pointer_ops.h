// What the host's ops do with the pointers they are handed: the one table of it.
#ifndef TILEGUARD_EXTRACT_POINTER_OPS_H_
#define TILEGUARD_EXTRACT_POINTER_OPS_H_

#include <tvm/tirx/expr.h>

#include <cstddef>
#include <string>

namespace tileguard {

/*! \brief The registered name of the op that `call` calls, empty for a call of a global function.
 */
std::string OpName(const tvm::tirx::CallNode* call);

/*! \brief What an op does with the memory it is handed. */
enum class PointerUse {
  // Guarded.
  kAtomic,     // read-modify-write of `elements` at the first argument
  kCopyAsync,  // cp.async: destination, source, size, [predicate]
  kLoadWide,   // ldg of `bytes` bytes: pointer, [predicate]
  kStoreWide,  // stg of `bytes` bytes: pointer, value, [predicate]
  kReadOnly,   // __ldg of one element, which it is handed as a load
  kCall,       // an extern call that gets pointers and does with them what it does
  kMetadata,   // an address: describes an access of the op it is handed to
  kTileOp,     // a tile operation: lowered later, guarded by its own lowering
  // Bounded by the hardware, or not touching global memory by a pointer.
  kHardware,
  kArithmetic,
  kFastMath,
  kCollective,
  kBarrier,
  kMatrix,
  kShared,
  kControl,
  kState,
  kHost,
  kForeign,
  // Reported when it is not proved.
  kBulk,  // a one-dimensional bulk copy from one address
  kUnsupported,
  kUnclassified,
};

struct PointerOp {
  PointerUse use = PointerUse::kUnclassified;
  int elements = 1;      // consecutive elements of the last dimension that one pointer stands for
  bool returns = false;  // yields a value read from memory
  int bytes = 0;         // of a wide load or store
};

/*! \brief The entry of an op; kUnclassified when it is in no table. */
PointerOp LookUpPointerOp(const std::string& name);

/*! \brief The group of an op that has no entry of its own. */
PointerUse GroupOf(const std::string& name);

/*! \brief Which argument is the op's own predicate; SIZE_MAX for an op that has none. */
size_t PredicateArgument(PointerUse use);

/*! \brief What is done for ops of this use, in one word: guarded, hardware-bounded, reported, ...
 */
const char* Treatment(PointerUse use);
/*! \brief The name of a use, as docs/ops.md prints it. */
const char* ToString(PointerUse use);

/*! \brief Arithmetic that the host registers as if it had an effect (fast-math functions). */
bool IsPureMath(const std::string& name);

/*! \brief Does the op make other threads' writes visible? */
bool IsBarrier(const std::string& name);

}  // namespace tileguard

#endif  // TILEGUARD_EXTRACT_POINTER_OPS_H_

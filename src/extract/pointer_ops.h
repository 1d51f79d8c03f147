// What the host's ops do with the pointers they are handed: the one table of it.
#ifndef TILEGUARD_EXTRACT_POINTER_OPS_H_
#define TILEGUARD_EXTRACT_POINTER_OPS_H_

#include <tvm/tirx/expr.h>

#include <string>

namespace tileguard {

/*! \brief The registered name of the op that `call` calls, empty for a call of a global function.
 */
std::string OpName(const tvm::tirx::CallNode* call);

/*! \brief What an op does with its pointer arguments. */
enum class PointerUse {
  kNone,       // touches no memory through a pointer
  kAtomic,     // read-modify-write of `elements` at the first argument
  kCopyAsync,  // cp.async: destination, source, size, [predicate]
  kLoadWide,   // ldg of `bytes` bytes: pointer, [predicate]
  kStoreWide,  // stg of `bytes` bytes: pointer, value, [predicate]
  kReadOnly,   // __ldg of one element, which it is handed as a load
  kBulk,       // a one-dimensional bulk copy of a number of bytes from one address
  kCall,       // an extern or other call that gets pointers and does what it does with them
  kTileOp,     // a tile operation: lowered later, guarded by its own lowering
  kHardware,   // bulk (TMA) copies through a descriptor: bounds are the hardware's
  kMetadata,   // describes an access of another op (access_ptr, address_of, region, ...)
};

struct PointerOp {
  PointerUse use = PointerUse::kNone;
  int elements = 1;      // consecutive elements of the last dimension that one pointer stands for
  bool returns = false;  // yields a value read from memory
  int bytes = 0;         // of a wide load or store
};

/*! \brief The entry of an op; an op that is not in the table and has a pointer argument is kCall.
 */
PointerOp LookUpPointerOp(const std::string& name);

/*! \brief Arithmetic that the host registers as if it had an effect (fast-math functions). */
bool IsPureMath(const std::string& name);

/*! \brief Does the op make other threads' writes visible? */
bool IsBarrier(const std::string& name);

}  // namespace tileguard

#endif  // TILEGUARD_EXTRACT_POINTER_OPS_H_

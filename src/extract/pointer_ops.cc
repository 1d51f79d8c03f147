#include "pointer_ops.h"

#include <tvm/ir/op.h>

#include <cstdint>
#include <unordered_map>

namespace tileguard {

std::string OpName(const tvm::tirx::CallNode* call) {
  if (const auto* op = call->op.as<tvm::OpNode>()) return op->name;
  return "";
}

PointerOp LookUpPointerOp(const std::string& name) {
  static const std::unordered_map<std::string, PointerOp> table = {
      {"tl.atomic_add_elem_op", {PointerUse::kAtomic, 1, false}},
      {"tl.atomic_add_ret_elem_op", {PointerUse::kAtomic, 1, true}},
      {"tl.atomic_addx2_elem_op", {PointerUse::kAtomic, 2, false}},
      {"tl.atomic_addx2_ret_elem_op", {PointerUse::kAtomic, 2, true}},
      {"tl.atomic_addx4_elem_op", {PointerUse::kAtomic, 4, false}},
      {"tl.atomic_addx4_ret_elem_op", {PointerUse::kAtomic, 4, true}},
      {"tl.atomic_load_elem_op", {PointerUse::kAtomic, 1, true}},
      {"tl.atomic_store_elem_op", {PointerUse::kAtomic, 1, false}},
      {"tl.atomic_or_elem_op", {PointerUse::kAtomic, 1, false}},
      {"tl.atomic_max_elem_op", {PointerUse::kAtomic, 1, false}},
      {"tl.atomic_max_ret_elem_op", {PointerUse::kAtomic, 1, true}},
      {"tl.atomic_min_elem_op", {PointerUse::kAtomic, 1, false}},
      {"tl.atomic_min_ret_elem_op", {PointerUse::kAtomic, 1, true}},
      {"tl.ptx_cp_async", {PointerUse::kCopyAsync, 1, false}},
      {"tirx.ptx_cp_async", {PointerUse::kCopyAsync, 1, false}},
      {"tl.ldg32", {PointerUse::kLoadWide, 1, true, 4}},
      {"tl.ldg64", {PointerUse::kLoadWide, 1, true, 8}},
      {"tl.ldg128", {PointerUse::kLoadWide, 1, true, 16}},
      {"tl.ldg256", {PointerUse::kLoadWide, 1, true, 32}},
      {"tl.stg32", {PointerUse::kStoreWide, 1, false, 4}},
      {"tl.stg64", {PointerUse::kStoreWide, 1, false, 8}},
      {"tl.stg128", {PointerUse::kStoreWide, 1, false, 16}},
      {"tl.stg256", {PointerUse::kStoreWide, 1, false, 32}},
      {"tl.__ldg", {PointerUse::kReadOnly, 1, true}},
      {"tl.tma_load", {PointerUse::kBulk, 1, false}},
      {"tl.tma_store", {PointerUse::kBulk, 1, false}},
      {"tirx.ptx_cp_async_bulk", {PointerUse::kBulk, 1, false}},
      {"tirx.call_extern", {PointerUse::kCall, 1, true}},
      {"tirx.call_pure_extern", {PointerUse::kCall, 1, true}},
      {"tl.region", {PointerUse::kTileOp, 1, false}},
      {"tl.reducer_update", {PointerUse::kTileOp, 1, false}},
      {"tl.tma_load_gather4", {PointerUse::kHardware, 1, false}},
      {"tl.tma_store_scatter4", {PointerUse::kHardware, 1, false}},
      {"tl.tma_store_cluster", {PointerUse::kHardware, 1, false}},
      {"tl.access_ptr", {PointerUse::kMetadata, 1, false}},
      {"tirx.address_of", {PointerUse::kMetadata, 1, false}},
      {"tirx.tvm_access_ptr", {PointerUse::kMetadata, 1, false}},
      {"tl.create_tma_descriptor", {PointerUse::kHardware, 1, false}},
      {"tl.create_tma_im2col_descriptor", {PointerUse::kHardware, 1, false}},
      {"tl.prefetch_tma_descriptor", {PointerUse::kHardware, 1, false}},
      {"tl.tma_load_im2col", {PointerUse::kHardware, 1, false}},
      {"tl.tma_load_multicast", {PointerUse::kHardware, 1, false}},
  };
  auto found = table.find(name);
  if (found != table.end()) return found->second;
  if (name.rfind("tl.tileop.", 0) == 0) return {PointerUse::kTileOp, 1, false};
  return {GroupOf(name), 1, false};
}

size_t PredicateArgument(PointerUse use) {
  switch (use) {
    case PointerUse::kCopyAsync:
      return 3;
    case PointerUse::kLoadWide:
      return 1;
    case PointerUse::kStoreWide:
      return 2;
    default:
      return SIZE_MAX;
  }
}

const char* Treatment(PointerUse use) {
  switch (use) {
    case PointerUse::kAtomic:
    case PointerUse::kCopyAsync:
    case PointerUse::kLoadWide:
    case PointerUse::kStoreWide:
    case PointerUse::kReadOnly:
    case PointerUse::kCall:
      return "guarded";
    case PointerUse::kMetadata:
      return "guarded with the op that gets the address";
    case PointerUse::kTileOp:
      return "guarded after its lowering";
    case PointerUse::kHardware:
      return "bounded by the hardware";
    case PointerUse::kBulk:
    case PointerUse::kUnsupported:
      return "reported unless proved";
    case PointerUse::kMatrix:
    case PointerUse::kShared:
    case PointerUse::kCollective:
    case PointerUse::kBarrier:
      return "no global buffer; reported when it gets one";
    case PointerUse::kForeign:
      return "another backend's: left alone";
    case PointerUse::kUnclassified:
      return "unclassified";
    default:
      return "touches no global buffer";
  }
}

const char* ToString(PointerUse use) {
  static const std::unordered_map<int, const char*> names = {
      {static_cast<int>(PointerUse::kAtomic), "atomic"},
      {static_cast<int>(PointerUse::kCopyAsync), "cp.async"},
      {static_cast<int>(PointerUse::kLoadWide), "wide load"},
      {static_cast<int>(PointerUse::kStoreWide), "wide store"},
      {static_cast<int>(PointerUse::kReadOnly), "read-only load"},
      {static_cast<int>(PointerUse::kCall), "extern call"},
      {static_cast<int>(PointerUse::kMetadata), "address"},
      {static_cast<int>(PointerUse::kTileOp), "tile operation"},
      {static_cast<int>(PointerUse::kHardware), "bulk copy by descriptor"},
      {static_cast<int>(PointerUse::kArithmetic), "arithmetic"},
      {static_cast<int>(PointerUse::kFastMath), "fast math"},
      {static_cast<int>(PointerUse::kCollective), "collective"},
      {static_cast<int>(PointerUse::kBarrier), "barrier"},
      {static_cast<int>(PointerUse::kMatrix), "matrix unit"},
      {static_cast<int>(PointerUse::kShared), "shared memory"},
      {static_cast<int>(PointerUse::kControl), "control"},
      {static_cast<int>(PointerUse::kState), "state"},
      {static_cast<int>(PointerUse::kHost), "host"},
      {static_cast<int>(PointerUse::kForeign), "foreign"},
      {static_cast<int>(PointerUse::kBulk), "bulk copy by address"},
      {static_cast<int>(PointerUse::kUnsupported), "unsupported"},
      {static_cast<int>(PointerUse::kUnclassified), "unclassified"},
  };
  return names.at(static_cast<int>(use));
}

bool IsPureMath(const std::string& name) { return GroupOf(name) == PointerUse::kFastMath; }

bool IsBarrier(const std::string& name) { return GroupOf(name) == PointerUse::kBarrier; }

}  // namespace tileguard

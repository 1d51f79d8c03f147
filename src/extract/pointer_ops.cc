#include "pointer_ops.h"

#include <tvm/ir/op.h>

#include <unordered_map>
#include <unordered_set>

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
  return {PointerUse::kCall, 1, false};
}

bool IsPureMath(const std::string& name) {
  static const std::unordered_set<std::string> names = {
      "tl.__cos",  "tl.__exp", "tl.__exp10", "tl.__log",    "tl.__log10",
      "tl.__log2", "tl.__sin", "tl.__tan",   "tl.fast_rcp",
  };
  return names.count(name) != 0;
}

bool IsBarrier(const std::string& name) {
  return name == "tirx.tvm_storage_sync" || name.rfind("tl.syncthreads", 0) == 0 ||
         name.find("barrier") != std::string::npos || name.find("sync_warp") != std::string::npos ||
         name == "tl.sync_grid" || name == "tirx.ptx_wait_group" ||
         name == "tl.mbarrier_wait_parity" || name == "tl.cluster_sync" ||
         name == "tl.named_barrier_arrive" || name == "tl.tma_store_wait";
}

}  // namespace tileguard

// The part of the walk that meets calls with pointers.
#include <algorithm>

#include "pointer_ops.h"
#include "walker.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

const CallNode* AsPointer(const PrimExpr& e) {
  const auto* call = e.as<CallNode>();
  if (call == nullptr) return nullptr;
  const std::string name = OpName(call);
  const bool pointer =
      name == "tl.access_ptr" || name == "tirx.address_of" || name == "tirx.tvm_access_ptr";
  return pointer ? call : nullptr;
}

int ConstantOr(const PrimExpr& e, int otherwise) {
  const auto* imm = e.as<tvm::IntImmNode>();
  return imm == nullptr ? otherwise : static_cast<int>(imm->value);
}

// Whether an op of this use reads or writes through a pointer it gets; others only pass it on.
bool Accesses(PointerUse use) {
  switch (use) {
    case PointerUse::kArithmetic:
    case PointerUse::kControl:
    case PointerUse::kHost:
    case PointerUse::kState:
    case PointerUse::kHardware:
    case PointerUse::kForeign:
      return false;
    default:
      return true;
  }
}

AccessKind KindOf(PointerUse use) {
  switch (use) {
    case PointerUse::kAtomic:
      return AccessKind::kAtomic;
    case PointerUse::kCopyAsync:
      return AccessKind::kCopyAsync;
    case PointerUse::kLoadWide:
      return AccessKind::kLoad;
    case PointerUse::kStoreWide:
      return AccessKind::kStore;
    default:
      return AccessKind::kPointer;
  }
}

}  // namespace

// The address is computed, the element is not read: only the accesses inside its indices happen
// here.
void Walker::VisitIndicesOf(const PrimExpr& pointer) {
  const CallNode* call = AsPointer(pointer);
  if (call == nullptr) {
    VisitExpr(pointer);
    return;
  }
  size_t first_plain = 0;
  if (const auto* base = call->args[0].as<BufferLoadNode>()) {
    for (const PrimExpr& index : base->indices) VisitExpr(index);
    first_plain = 1;
  }
  for (size_t i = first_plain; i < call->args.size(); ++i) VisitExpr(call->args[i]);
}

std::vector<int> Walker::RecordPointer(const CallNode* op, int visit, AccessKind kind, int elements,
                                       const PrimExpr& pointer) {
  const CallNode* call = AsPointer(pointer);
  int id = -1;
  if (call == nullptr) return {};
  const std::string name = OpName(call);
  if (name == "tirx.tvm_access_ptr") {
    const auto* data = call->args[1].as<VarNode>();
    auto found = data == nullptr ? buffer_of_data_.end() : buffer_of_data_.find(data);
    if (found == buffer_of_data_.end()) return {};
    const PrimExpr count =
        elements > 0 ? tvm::IntImm(tvm::DataType::Int(32), elements) : call->args[3];
    id = recorder_.Span(op, visit, kind, found->second, call->args[2], count, place_);
  } else if (const auto* base = call->args[0].as<BufferLoadNode>()) {
    const bool declares = elements == 0 && name == "tl.access_ptr" && !is_one(call->args[1]);
    if (declares && base->indices.size() == base->buffer->shape.size()) {
      id = recorder_.Span(op, visit, kind, base->buffer, FlatOffset(base->buffer, base->indices),
                          call->args[1], place_);
      return id < 0 ? std::vector<int>() : std::vector<int>{id};
    }
    const int extent = name == "tl.access_ptr" ? ConstantOr(call->args[1], 1) : 1;
    id = recorder_.Element(op, visit, kind, base->buffer, base->indices, std::max(extent, elements),
                           place_);
  }
  if (id < 0) return {};
  return {id};
}

// How many elements of the buffer behind `pointer` make `bytes` bytes; at least one.
int Walker::ElementsOf(const PrimExpr& pointer, int bytes) const {
  const CallNode* call = AsPointer(pointer);
  tvm::DataType type;
  if (const auto* base = call->args[0].as<BufferLoadNode>()) {
    type = base->buffer->dtype;
  } else if (const auto* data = call->args[1].as<VarNode>()) {
    auto found = buffer_of_data_.find(data);
    if (found != buffer_of_data_.end()) type = found->second->dtype;
  }
  return type.bits() > 0 ? std::max(1, bytes * 8 / (type.bits() * type.lanes())) : 1;
}

// A bulk copy cannot be skipped (its barrier would wait for ever), a collective must not be put
// under a condition, an unknown op means nobody knows what; and a call whose result is a pointer
// has no safe value.
bool Walker::IsGuardable(PointerUse use, const CallNode* op) const {
  switch (use) {
    case PointerUse::kAtomic:
    case PointerUse::kCopyAsync:
    case PointerUse::kLoadWide:
    case PointerUse::kStoreWide:
      return true;
    case PointerUse::kCall: {
      const bool has_value = !op->dtype.is_handle() && !op->dtype.is_void();
      return has_value || statement_call_ == op;
    }
    default:
      return false;
  }
}

void Walker::LeaveUnguarded(int id, const std::string& name) {
  AccessSite& site = out_->sites[static_cast<size_t>(id)];
  site.query.guardable = false;
  site.unsupported = name + " cannot be guarded";
}

void Walker::VisitPointerCall(const CallNode* op, const std::string& name) {
  const PointerOp entry = LookUpPointerOp(name);
  if (entry.use == PointerUse::kMetadata) {
    VisitIndicesOf(tvm::ffi::GetRef<PrimExpr>(op));
    return;
  }
  if (entry.use == PointerUse::kTileOp) {
    for (const PrimExpr& arg : op->args) {
      const auto* base = arg.as<BufferLoadNode>();
      if (base == nullptr) {
        VisitExpr(arg);
        continue;
      }
      for (const PrimExpr& index : base->indices) VisitExpr(index);
    }
    return;
  }
  const int visit = CountVisit(op);
  if (entry.use == PointerUse::kReadOnly) {
    const auto* base = op->args[0].as<BufferLoadNode>();
    if (base == nullptr) return;
    for (const PrimExpr& index : base->indices) VisitExpr(index);
    recorder_.Element(op, visit, AccessKind::kLoad, base->buffer, base->indices, 1, place_);
    return;
  }
  const Known outer = Save();
  const std::vector<int> outer_under = place_.under;
  // 0: as many elements as the pointer itself declares.
  const bool declared = KindOf(entry.use) == AccessKind::kPointer;
  int elements = declared ? 0 : entry.elements;
  const AccessKind kind = KindOf(entry.use);
  // A predicate of its own: nothing is touched where it is false. What its other arguments read is
  // read whatever it says.
  const size_t predicate = PredicateArgument(entry.use);
  if (entry.use == PointerUse::kCopyAsync) elements = ConstantOr(op->args[2], 1);
  const bool predicated = predicate < op->args.size();
  if (predicated) {
    VisitExpr(op->args[predicate]);
    OnCondition(op, visit, op->args[predicate]);
  }
  std::vector<int> ids;
  for (size_t i = 0; i < op->args.size(); ++i) {
    const PrimExpr& arg = op->args[i];
    if (AsPointer(arg) == nullptr) continue;
    VisitIndicesOf(arg);
    if (!Accesses(entry.use)) continue;
    if (entry.bytes > 0) elements = ElementsOf(arg, entry.bytes);
    if (predicated) KnowCondition(op->args[predicate], true);
    for (int id : RecordPointer(op, visit, kind, elements, arg)) {
      out_->sites[static_cast<size_t>(id)].argument = static_cast<int>(i);
      if (!IsGuardable(entry.use, op)) LeaveUnguarded(id, name);
      ids.push_back(id);
    }
    Restore(outer);
  }
  bool pure = true;
  for (const PrimExpr& arg : op->args) pure = pure && (AsPointer(arg) != nullptr || IsPure(arg));
  // A wide store binds its value in front of its guard: the value's loads stand alone.
  if (pure && kind != AccessKind::kPointer && entry.bytes == 0) {
    place_.under.insert(place_.under.end(), ids.begin(), ids.end());
  }
  for (size_t i = 0; i < std::min(op->args.size(), predicate); ++i) {
    if (AsPointer(op->args[i]) == nullptr) VisitExpr(op->args[i]);
  }
  place_.under = outer_under;
  Restore(outer);
}

}  // namespace tileguard

#include "safe_values.h"

#include <tvm/tirx/op.h>

#include <sstream>
#include <utility>

#include "warnings.h"

namespace tileguard {

namespace {

using tvm::DataType;
using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

constexpr const char* kSafeValueMap = "safe_value_map";

PrimExpr Widen(const PrimExpr& scalar, const DataType& dtype) {
  if (dtype.lanes() == 1) return scalar;
  return Broadcast(scalar, dtype.lanes());
}

}  // namespace

DataType ScalarOf(const DataType& dtype) { return dtype.lanes() == 1 ? dtype : dtype.element_of(); }

void SafeValues::Declare(const Buffer& buffer) {
  declared_.emplace(buffer->data.get(), ScalarOf(buffer->dtype));
}

SafeValues SafeValues::Enter(const SBlockNode* block) {
  SafeValues before = *this;
  for (const Buffer& buffer : block->alloc_buffers) Declare(buffer);
  if (auto annotation = block->annotations.Get(kSafeValueMap)) {
    const auto map = annotation.value().cast<tvm::ffi::Map<Var, tvm::ffi::Any>>();
    for (const auto& [data, value] : map) {
      // A bare number is one of Python's: it takes the buffer's type where it is used.
      if (auto expr = value.as<PrimExpr>()) {
        values_[data.get()] = expr.value();
      } else if (auto integer = value.as<int64_t>()) {
        values_[data.get()] = tvm::IntImm(DataType::Int(64), *integer);
      } else {
        values_[data.get()] = tvm::FloatImm(DataType::Float(64), value.cast<double>());
      }
    }
  }
  return before;
}

PrimExpr SafeValues::Of(const Buffer& buffer, const DataType& dtype) const {
  const DataType element = ScalarOf(dtype);
  auto value = values_.find(buffer->data.get());
  if (value == values_.end()) return Widen(tvm::tirx::make_zero(element), dtype);
  auto known = declared_.find(buffer->data.get());
  const DataType declared = known == declared_.end() ? ScalarOf(buffer->dtype) : known->second;
  PrimExpr safe = value->second;
  if (safe.dtype() != declared) safe = tvm::cast(declared, safe);
  if (element == declared) return Widen(safe, dtype);
  if (element.bits() == declared.bits()) return Widen(tvm::reinterpret(element, safe), dtype);
  std::ostringstream sentence;
  sentence << "the safe value of " << buffer->name << " is a " << declared
           << "; a view of another width (" << element << ") reads zero outside the buffer";
  EmitWarning(sentence.str());
  return Widen(tvm::tirx::make_zero(element), dtype);
}

}  // namespace tileguard

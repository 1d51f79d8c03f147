#include "words.h"

#include <tvm/tirx/op.h>

#include <algorithm>

#include "../extract/simplify.h"

namespace tileguard {

namespace {

using tvm::DataType;
using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

constexpr int kWordBits = 32;

bool IsPackable(int bits) { return bits == 8 || bits == 16 || bits == 32 || bits == 64; }

PrimExpr Bits(const PrimExpr& element) {
  const DataType raw = DataType::UInt(element.dtype().bits());
  return element.dtype() == raw ? element : tvm::reinterpret(raw, element);
}

PrimExpr Word(const PrimExpr& words, int index) {
  return words.dtype().lanes() == 1 ? words : PrimExpr(Shuffle::ExtractElement(words, index));
}

}  // namespace

PrimExpr PackWords(const std::vector<PrimExpr>& elements, const DataType& words) {
  const int bits = elements[0].dtype().bits();
  if (!IsPackable(bits)) return PrimExpr();
  const DataType word = DataType::UInt(kWordBits);
  tvm::ffi::Array<PrimExpr> packed;
  tvm::ffi::Array<PrimExpr> order;
  for (int w = 0; w < words.lanes(); ++w) {
    PrimExpr value;
    if (bits == 64) {
      const PrimExpr whole = Bits(elements[static_cast<size_t>(w / 2)]);
      value = tvm::cast(word, w % 2 == 0 ? whole : whole >> tvm::IntImm(whole.dtype(), kWordBits));
    } else {
      const int per_word = kWordBits / bits;
      for (int k = 0; k < per_word; ++k) {
        PrimExpr part = tvm::cast(word, Bits(elements[static_cast<size_t>(w * per_word + k)]));
        if (k > 0) part = part << tvm::IntImm(word, k * bits);
        value = value.defined() ? value | part : part;
      }
    }
    packed.push_back(value);
    order.push_back(tvm::IntImm(DataType::Int(32), w));
  }
  if (packed.size() == 1) return packed[0];
  return Shuffle(packed, order);
}

PrimExpr UnpackWord(const PrimExpr& words, int index, const DataType& element) {
  const int bits = element.bits();
  if (!IsPackable(bits)) return PrimExpr();
  const DataType raw = DataType::UInt(bits);
  PrimExpr value;
  if (bits == 64) {
    const PrimExpr low = tvm::cast(raw, Word(words, 2 * index));
    const PrimExpr high = tvm::cast(raw, Word(words, 2 * index + 1));
    value = low | (high << tvm::IntImm(raw, kWordBits));
  } else {
    const int per_word = kWordBits / bits;
    value = Word(words, index / per_word);
    const int shift = index % per_word * bits;
    if (shift > 0) value = value >> tvm::IntImm(value.dtype(), shift);
    value = tvm::cast(raw, value);
  }
  return element == raw ? value : tvm::reinterpret(element, value);
}

tvm::ffi::Array<PrimExpr> Unflatten(const Buffer& buffer, const PrimExpr& flat) {
  std::vector<PrimExpr> indices;
  PrimExpr rest = flat;
  for (size_t d = buffer->shape.size(); d-- > 1;) {
    const PrimExpr extent = tvm::cast(flat.dtype(), buffer->shape[d]);
    indices.push_back(Simplified(tvm::floormod(rest, extent)));
    rest = Simplified(tvm::floordiv(rest, extent));
  }
  indices.push_back(rest);
  std::reverse(indices.begin(), indices.end());
  return {indices.begin(), indices.end()};
}

}  // namespace tileguard

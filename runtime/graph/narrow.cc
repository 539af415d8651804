#include "runtime/graph/narrow.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace fluid2onnx {
namespace {

constexpr char kNarrow[] = "narrow";  // no ONNX operator: Cast makes infinities and zeros
constexpr char kNarrowMask[] = "narrow mask";
constexpr uint64_t kAtOnce = 1024;
constexpr uint16_t kLargestBits = 0x7bff, kQuarterBits = 0x7400;

/// The sign of the number, and other bits.
uint16_t signed_bits(float value, uint16_t bits) {
  return static_cast<uint16_t>(std::signbit(value) ? bits | 0x8000U : bits);
}

uint16_t to_float16(float value, uint16_t beyond) {
  constexpr uint16_t kInfinity = 0x7c00;
  const uint16_t bits = float_to_half(value);
  const auto magnitude = static_cast<uint16_t>(bits & 0x7fffU);
  if (magnitude == kInfinity && std::isfinite(value)) return signed_bits(value, beyond);
  return magnitude == 0 && value != 0 ? signed_bits(value, 1) : bits;
}

uint16_t to_bfloat16(float value) {
  constexpr uint16_t kInfinity = 0x7f80;
  const uint16_t bits = float_to_bfloat16(value);
  const auto magnitude = static_cast<uint16_t>(bits & 0x7fffU);
  if (magnitude == kInfinity && std::isfinite(value)) return static_cast<uint16_t>(bits - 1);
  return magnitude == 0 && value != 0 ? signed_bits(value, 1) : bits;
}

}  // namespace

float stand_in(Beyond beyond, Dtype to) {
  if (to == Dtype::bfloat16) return bfloat16_to_float(0x7f7f);
  return half_to_float(beyond == Beyond::quarter ? kQuarterBits : kLargestBits);
}

void narrow(std::span<const uint8_t> from, Dtype to, uint8_t* out, Beyond beyond) {
  const auto each = [&](auto convert) {
    for (size_t i = 0; i < from.size() / sizeof(float); ++i) {
      float value;
      std::memcpy(&value, from.data() + i * sizeof value, sizeof value);
      const uint16_t bits = convert(value);
      std::memcpy(out + i * sizeof bits, &bits, sizeof bits);
    }
  };
  if (to == Dtype::float16) {
    const uint16_t instead = beyond == Beyond::quarter ? kQuarterBits : kLargestBits;
    each([&](float value) { return to_float16(value, instead); });
  } else {
    each(to_bfloat16);
  }
}

Tensor narrowed(const Tensor& tensor, Dtype to, Beyond beyond) {
  if (tensor.slice() || tensor.lazy() || tensor.byte_size() > kAtOnce) {
    const char* how = beyond == Beyond::quarter ? kNarrowMask : kNarrow;
    return Tensor(to, tensor.dims(), LazyTensor{how, 0, {}, {tensor}, 0, 1});
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(tensor.byte_size() / 2));
  narrow(tensor.bytes(), to, bytes.data(), beyond);
  return Tensor(to, tensor.dims(), std::move(bytes));
}

void forget_pages(const Tensor& tensor) {
  if (const FileSlice* slice = tensor.slice()) slice->file->forget(slice->offset, slice->length);
  if (!tensor.lazy()) return;
  for (const Tensor& input : tensor.lazy()->inputs) forget_pages(input);
}

Narrowed narrowed_from(const Tensor& tensor) {
  const LazyTensor* lazy = tensor.lazy();
  if (!lazy) return {};
  if (lazy->op == kNarrow) return {&lazy->inputs[0], Beyond::largest};
  if (lazy->op == kNarrowMask) return {&lazy->inputs[0], Beyond::quarter};
  return {};
}

}  // namespace fluid2onnx

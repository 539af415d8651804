#include "runtime/graph/narrow.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace fluid2onnx {
namespace {

constexpr char kNarrow[] = "narrow";  // no ONNX operator: Cast makes infinities and zeros
constexpr uint64_t kAtOnce = 1024;

uint16_t to_float16(float value, uint64_t* too_large) {
  constexpr float kLargest = 65504;
  constexpr uint16_t kSmallestBits = 1;
  const float magnitude = std::fabs(value);
  if (magnitude > kLargest && magnitude <= std::numeric_limits<float>::max()) {
    ++*too_large;
    return float_to_half(std::copysign(kLargest, value));
  }
  const uint16_t bits = float_to_half(value);
  const bool lost = (bits & 0x7fffu) == 0 && magnitude > 0;
  return lost ? static_cast<uint16_t>(bits | kSmallestBits) : bits;
}

uint16_t to_bfloat16(float value, uint64_t* too_large) {
  constexpr uint16_t kInfinity = 0x7f80;
  const uint16_t bits = float_to_bfloat16(value);
  if ((bits & 0x7fffu) == kInfinity && std::isfinite(value)) {
    ++*too_large;
    return static_cast<uint16_t>(bits - 1);
  }
  const bool lost = (bits & 0x7fffu) == 0 && value != 0;
  return lost ? static_cast<uint16_t>(bits | 1u) : bits;
}

}  // namespace

uint64_t narrow(std::span<const uint8_t> from, Dtype to, uint8_t* out) {
  uint64_t too_large = 0;
  const auto each = [&](auto convert) {
    for (size_t i = 0; i < from.size() / sizeof(float); ++i) {
      float value;
      std::memcpy(&value, from.data() + i * sizeof value, sizeof value);
      const uint16_t bits = convert(value, &too_large);
      std::memcpy(out + i * sizeof bits, &bits, sizeof bits);
    }
  };
  if (to == Dtype::float16) {
    each(to_float16);
  } else {
    each(to_bfloat16);
  }
  return too_large;
}

Tensor narrowed(const Tensor& tensor, Dtype to) {
  if (tensor.slice() || tensor.lazy() || tensor.byte_size() > kAtOnce) {
    return Tensor(to, tensor.dims(), LazyTensor{kNarrow, 0, {}, {tensor}, 0, 1});
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(tensor.byte_size() / 2));
  narrow(tensor.bytes(), to, bytes.data());
  return Tensor(to, tensor.dims(), std::move(bytes));
}

const Tensor* narrowed_from(const Tensor& tensor) {
  const LazyTensor* lazy = tensor.lazy();
  return lazy && lazy->op == kNarrow ? &lazy->inputs[0] : nullptr;
}

}  // namespace fluid2onnx

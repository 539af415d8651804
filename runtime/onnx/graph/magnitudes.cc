#include "runtime/onnx/graph/magnitudes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <set>
#include <string_view>

#include "runtime/onnx/graph/narrow.h"
#include "runtime/onnx/graph/vectorised.h"
#include "runtime/support/bits.h"

namespace fluid2onnx {
namespace {

constexpr uint32_t kInfinityBits = 0x7f800000;
constexpr uint32_t kBeyondFloat16 = 0x477ff000;   // 65520: halfway to what would be the next number
constexpr uint32_t kBeyondBfloat16 = 0x7f7f8000;  // the same

constexpr size_t kMagnitudeBlock = 1024;
using Block = std::array<uint32_t, kMagnitudeBlock>;
constexpr uint32_t kNone = std::numeric_limits<int32_t>::max();

struct Found {
  uint32_t largest = 0, smallest = kNone, beyond = 0;  ///< smallest: what is not 0
};

/// The bits of positive floats are ordered as the numbers are. A plain loop over a block, so that the compiler
/// makes vector instructions of it: this must not take longer than reading the file.
F2O_VECTORISED Found scan(const Block& bits, uint32_t first_beyond) {
  constexpr auto none = static_cast<int32_t>(kNone);
  int32_t largest = 0, smallest = none, beyond = 0;
  const auto limit = static_cast<int32_t>(first_beyond), infinity = static_cast<int32_t>(kInfinityBits);
  for (size_t i = 0; i < kMagnitudeBlock; ++i) {
    const auto magnitude = static_cast<int32_t>(bits[i] & 0x7fffffffU);
    const int32_t finite = magnitude & ((magnitude - infinity) >> 31);  // else 0
    const int32_t nonzero = finite | (((finite - 1) >> 31) & none);
    largest = std::max(largest, finite);
    smallest = std::min(smallest, nonzero);
    beyond -= (limit - 1 - finite) >> 31;
  }
  return {static_cast<uint32_t>(largest), static_cast<uint32_t>(smallest), static_cast<uint32_t>(beyond)};
}

/// Follows operators that only reorder elements.
const Tensor& before_reordering(const Tensor& tensor) {
  static const auto* ops =
      new std::set<std::string_view>{"Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"};
  const LazyTensor* lazy = tensor.lazy();
  return lazy && ops->count(lazy->op) != 0 ? before_reordering(lazy->inputs[0]) : tensor;
}

}  // namespace

Magnitudes magnitudes(const Tensor& tensor, Dtype to) {
  constexpr size_t kReleased = 4 << 20;  // bytes
  const Tensor ready = before_reordering(tensor).evaluated();
  const auto bytes = ready.bytes();
  const FileSlice* slice = ready.slice();
  uint32_t largest = 0, smallest = kNone;
  uint64_t beyond = 0;
  Block block;
  for (size_t at = 0; at < bytes.size(); at += sizeof block) {
    if (slice && at > 0 && at % kReleased == 0) slice->file->forget(slice->offset + at - kReleased, kReleased);
    const size_t size = std::min(bytes.size() - at, sizeof block);
    if (size < sizeof block) block.fill(0);
    std::memcpy(block.data(), bytes.data() + at, size);
    const Found found = scan(block, to == Dtype::float16 ? kBeyondFloat16 : kBeyondBfloat16);
    largest = std::max(largest, found.largest);
    smallest = std::min(smallest, found.smallest);
    beyond += found.beyond;
  }
  release_pages(tensor);
  return {bits_as<float>(largest), smallest == kNone ? 0.0F : bits_as<float>(smallest), beyond};
}

}  // namespace fluid2onnx

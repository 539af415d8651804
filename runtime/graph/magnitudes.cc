#include "runtime/graph/magnitudes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <set>
#include <string_view>

#include "runtime/graph/narrow.h"

namespace fluid2onnx {
namespace {

constexpr uint32_t kInfinity = 0x7f800000;
constexpr uint32_t kBeyondFloat16 = 0x477ff000;   // 65520: halfway to what would be the next number
constexpr uint32_t kBeyondBfloat16 = 0x7f7f8000;  // the same

/// The bits of positive floats are ordered as the numbers are. Plain loops over a block, so that the compiler
/// makes vector instructions of them: this must not take longer than reading the file.
class Scan {
 public:
  explicit Scan(uint32_t beyond) : first_beyond_(beyond) {}

  void add(std::span<const uint8_t> bytes) {
    constexpr size_t kBlock = 1024;
    std::array<uint32_t, kBlock> block;
    for (size_t at = 0; at < bytes.size(); at += kBlock * sizeof(float)) {
      const size_t size = std::min(bytes.size() - at, kBlock * sizeof(float));
      std::memcpy(block.data(), bytes.data() + at, size);
      add(block.data(), size / sizeof(float));
    }
  }

  Magnitudes result() const {
    const bool none = smallest_ == std::numeric_limits<uint32_t>::max();
    return {std::bit_cast<float>(largest_), none ? 0.0F : std::bit_cast<float>(smallest_ + 1), beyond_};
  }

 private:
  void add(const uint32_t* bits, size_t count) {
    uint32_t largest = 0, smallest = std::numeric_limits<uint32_t>::max(), beyond = 0;
    for (size_t i = 0; i < count; ++i) {
      const uint32_t magnitude = bits[i] & 0x7fffffffU;
      const uint32_t finite = magnitude < kInfinity ? magnitude : 0;
      largest = std::max(largest, finite);
      smallest = std::min(smallest, finite - 1);  // 0 becomes the largest of all
      beyond += finite >= first_beyond_ ? 1 : 0;
    }
    largest_ = std::max(largest_, largest);
    smallest_ = std::min(smallest_, smallest);
    beyond_ += beyond;
  }

  uint32_t first_beyond_;
  uint32_t largest_ = 0, smallest_ = std::numeric_limits<uint32_t>::max();
  uint64_t beyond_ = 0;
};

/// What a lazy tensor is made of, as long as it has the same numbers.
const Tensor& unmoved(const Tensor& tensor) {
  static const auto* ops =
      new std::set<std::string_view>{"Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"};
  const LazyTensor* lazy = tensor.lazy();
  return lazy && ops->count(lazy->op) != 0 ? unmoved(lazy->inputs[0]) : tensor;
}

}  // namespace

Magnitudes magnitudes(const Tensor& tensor, Dtype to) {
  constexpr uint64_t kAtOnce = 4 << 20;
  const Tensor ready = unmoved(tensor).evaluated();
  const auto bytes = ready.bytes();
  Scan scan(to == Dtype::float16 ? kBeyondFloat16 : kBeyondBfloat16);
  for (size_t at = 0; at < bytes.size(); at += kAtOnce) {
    const auto part = bytes.subspan(at, std::min<size_t>(bytes.size() - at, kAtOnce));
    scan.add(part);
    if (const FileSlice* slice = ready.slice()) slice->file->forget(slice->offset + at, part.size());
  }
  forget_pages(tensor);
  return scan.result();
}

}  // namespace fluid2onnx

#include "runtime/onnx/write/denormals.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/onnx/graph/vectorised.h"

namespace fluid2onnx {
namespace {

constexpr int64_t kFewElements = 64;  // constants of specs are smaller
constexpr uint32_t kMagnitudeBits = 0x7fffffff, kFirstNormal = 0x00800000;

constexpr size_t kScanned = 1024 * sizeof(float);  // constant, so that the compiler vectorises the loop

/// The smallest magnitude, times 2 and less 1: 0 wraps around to the largest. This must not take longer than reading
/// the bytes from memory, which writing them then need not.
F2O_VECTORISED uint32_t smallest_nonzero(const uint8_t* bytes) {
  uint32_t smallest = 0xffffffff;
  for (size_t at = 0; at < kScanned; at += sizeof(uint32_t)) {
    uint32_t bits;
    std::memcpy(&bits, bytes + at, sizeof bits);
    smallest = std::min(smallest, (bits << 1) - 1);
  }
  return smallest;
}

bool has_denormals(std::span<const uint8_t> bytes) {
  constexpr uint32_t kFirst = 2 * kFirstNormal - 1;
  for (; bytes.size() >= kScanned; bytes = bytes.subspan(kScanned)) {
    if (smallest_nonzero(bytes.data()) < kFirst) return true;
  }
  std::array<uint8_t, kScanned> rest{};
  std::copy(bytes.begin(), bytes.end(), rest.begin());
  return smallest_nonzero(rest.data()) < kFirst;
}

}  // namespace

bool DenormalFlush::applies_to(const Tensor& tensor) {
  return tensor.dtype() == Dtype::float32 && tensor.count() >= kFewElements;
}

std::span<const uint8_t> DenormalFlush::operator()(std::span<const uint8_t> bytes) {
  if (!has_denormals(bytes)) return bytes;
  changed_.assign(bytes.begin(), bytes.end());
  for (size_t at = 0; at + sizeof(uint32_t) <= changed_.size(); at += sizeof(uint32_t)) {
    uint32_t bits;
    std::memcpy(&bits, changed_.data() + at, sizeof bits);
    const uint32_t magnitude = bits & kMagnitudeBits;
    if (magnitude == 0 || magnitude >= kFirstNormal) continue;
    bits -= magnitude;
    std::memcpy(changed_.data() + at, &bits, sizeof bits);
    ++count_;
  }
  return changed_;
}

}  // namespace fluid2onnx

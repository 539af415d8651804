#include "runtime/onnx/graph/narrow.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "runtime/onnx/graph/vectorised.h"
#include "runtime/support/bits.h"

namespace fluid2onnx {
namespace {

constexpr char kNarrow[] = "narrow";  // no ONNX operator: Cast makes infinities and zeros
constexpr char kNarrowMask[] = "narrow mask";
constexpr uint64_t kAtOnce = 1024;
constexpr uint16_t kLargestBits = 0x7bff, kQuarterBits = 0x7400;

uint32_t bits_of(float value) { return bits_as<uint32_t>(value); }

/// All ones where a < b, both below 2^31.
constexpr uint32_t below(uint32_t a, uint32_t b) { return static_cast<uint32_t>(static_cast<int32_t>(a - b) >> 31); }
constexpr uint32_t choose(uint32_t mask, uint32_t where_set, uint32_t where_not) {
  return where_not ^ ((where_set ^ where_not) & mask);
}

// What becomes of each number is computed, and one of them chosen by bits: compilers make vector instructions of a
// loop without branches, and weights are many.

struct ToFloat16 {
  uint32_t beyond;

  uint16_t operator()(uint32_t bits) const {
    constexpr uint32_t kSmallestNormal = 0x38800000, kFirstBeyond = 0x477ff000, kInfinity = 0x7f800000;
    const uint32_t rest = bits & 0x7fffffffU, sign = (bits >> 16) & 0x8000U;
    const uint32_t normal = (rest + 0xfffU + ((rest >> 13) & 1U) - 0x38000000U) >> 13;
    // The last bit of 0.5 in float32 is worth what that of a subnormal number in float16 is.
    const uint32_t rounded = bits_of(bits_as<float>(rest) + 0.5F) - bits_of(0.5F);
    const uint32_t small = rounded | (below(rounded, 1) & ~below(rest, 1) & 1U);
    const uint32_t special = 0x7c00U + (~below(rest, kInfinity + 1) & 0x200U);
    uint32_t result = choose(below(rest, kSmallestNormal), small, normal);
    result = choose(below(rest, kFirstBeyond), result, beyond);
    result = choose(below(rest, kInfinity), result, special);
    return static_cast<uint16_t>(result | sign);
  }
};

struct ToBfloat16 {
  uint16_t operator()(uint32_t bits) const {
    constexpr uint32_t kFirstBeyond = 0x7f7f8000, kInfinity = 0x7f800000, kLargest = 0x7f7f;
    const uint32_t rest = bits & 0x7fffffffU, sign = (bits >> 16) & 0x8000U;
    const uint32_t rounded = (rest + 0x7fffU + ((rest >> 16) & 1U)) >> 16;
    const uint32_t finite = rounded | (below(rounded, 1) & ~below(rest, 1) & 1U);
    const uint32_t special = (rest >> 16) | (~below(rest, kInfinity + 1) & 0x40U);
    uint32_t result = choose(below(rest, kFirstBeyond), finite, kLargest);
    result = choose(below(rest, kInfinity), result, special);
    return static_cast<uint16_t>(result | sign);
  }
};

constexpr size_t kNarrowBlock = 1024;
using Wide = std::array<uint32_t, kNarrowBlock>;
using Half = std::array<uint16_t, kNarrowBlock>;

F2O_VECTORISED void to_float16(const Wide& wide, uint32_t beyond, Half* half) {
  const ToFloat16 convert{beyond};
  for (size_t i = 0; i < kNarrowBlock; ++i) (*half)[i] = convert(wide[i]);
}

F2O_VECTORISED void to_bfloat16(const Wide& wide, Half* half) {
  const ToBfloat16 convert;
  for (size_t i = 0; i < kNarrowBlock; ++i) (*half)[i] = convert(wide[i]);
}

}  // namespace

float replacement(Overflow overflow, Dtype to) {
  if (to == Dtype::bfloat16) return bfloat16_to_float(0x7f7f);
  return half_to_float(overflow == Overflow::quarter ? kQuarterBits : kLargestBits);
}

void narrow(std::span<const uint8_t> from, Dtype to, uint8_t* out, Overflow overflow) {
  Wide wide{};
  Half half;
  for (size_t at = 0; at < from.size(); at += sizeof wide) {
    const size_t size = std::min(from.size() - at, sizeof wide);
    std::memcpy(wide.data(), from.data() + at, size);
    if (to == Dtype::bfloat16) to_bfloat16(wide, &half);
    else to_float16(wide, overflow == Overflow::quarter ? kQuarterBits : kLargestBits, &half);
    std::memcpy(out + at / 2, half.data(), size / 2);
  }
}

Tensor narrowed(const Tensor& tensor, Dtype to, Overflow overflow) {
  if (tensor.slice() || tensor.lazy() || tensor.byte_size() > kAtOnce) {
    const char* how = overflow == Overflow::quarter ? kNarrowMask : kNarrow;
    return Tensor(to, tensor.dims(), LazyTensor{how, 0, {}, {tensor}, 0, 1});
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(tensor.byte_size() / 2));
  narrow(tensor.bytes(), to, bytes.data(), overflow);
  return Tensor(to, tensor.dims(), std::move(bytes));
}

void release_pages(const Tensor& tensor) {
  if (const FileSlice* slice = tensor.slice()) slice->file->forget(slice->offset, slice->length);
  if (!tensor.lazy()) return;
  for (const Tensor& input : tensor.lazy()->inputs) release_pages(input);
}

Narrowed narrowed_from(const Tensor& tensor) {
  const LazyTensor* lazy = tensor.lazy();
  if (!lazy) return {};
  if (lazy->op == kNarrow) return {&lazy->inputs[0], Overflow::saturate};
  if (lazy->op == kNarrowMask) return {&lazy->inputs[0], Overflow::quarter};
  return {};
}

}  // namespace fluid2onnx

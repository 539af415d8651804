#include "runtime/onnx/graph/tensor.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "runtime/onnx/graph/evaluate/evaluate.h"
#include "runtime/onnx/graph/narrow.h"
#include "runtime/support/error.h"

namespace fluid2onnx {

int64_t element_count(const Ints& dims) {
  int64_t count = 1;
  bool empty = false;
  for (const int64_t d : dims) {
    if (d == 0) empty = true;
    if (d < 0) throw Error(E_TENSOR, "a constant tensor has the negative dim " + std::to_string(d));
  }
  if (empty) return 0;
  for (const int64_t d : dims) {
    // 16: the widest element. Sizes in bytes then fit too.
    if (count > std::numeric_limits<int64_t>::max() / 16 / d) {
      throw Error(E_TOO_LARGE, "a constant tensor has more elements than can be addressed");
    }
    count *= d;
  }
  return count;
}

Tensor::Tensor(Dtype dtype, Ints dims, std::vector<uint8_t> bytes)
    : dtype_(dtype), dims_(std::move(dims)), count_(element_count(dims_)) {
  assert(bytes.size() == byte_size());
  owned_ = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
}

Tensor::Tensor(Dtype dtype, Ints dims, FileSlice slice)
    : dtype_(dtype), dims_(std::move(dims)), count_(element_count(dims_)), file_(std::move(slice)) {
  assert(file_.length == byte_size());
}

Tensor::Tensor(Dtype dtype, Ints dims, LazyTensor lazy)
    : dtype_(dtype),
      dims_(std::move(dims)),
      count_(element_count(dims_)),
      lazy_(std::make_shared<const LazyTensor>(std::move(lazy))) {}

std::optional<Tensor> Tensor::computed(Dtype dtype, Ints dims, LazyTensor lazy) {
  if (!evaluation::certainly_evaluates(lazy.op, lazy.inputs, lazy.attrs)) return std::nullopt;
  return Tensor(dtype, std::move(dims), std::move(lazy));
}

namespace {

/// How many lazy tensors a lazy tensor depends on, one below the other.
int depth(const Tensor& t) {
  if (!t.lazy()) return 0;
  int below = 0;
  for (const Tensor& input : t.lazy()->inputs) below = std::max(below, depth(input));
  return below + 1;
}

}  // namespace

std::optional<Tensor> Tensor::sum(const Tensor& a, const Tensor& b, int opset) {
  constexpr uint64_t kSmall = 64 << 10;
  constexpr int kDeepest = 16;  // each level needs memory for its operands
  if (std::max(depth(a), depth(b)) >= kDeepest) return std::nullopt;
  const auto lazy = computed(a.dtype(), a.dims(), LazyTensor{"Add", opset, {}, {a, b}, 0, 1});
  return lazy && lazy->byte_size() <= kSmall ? lazy->evaluated() : lazy;
}

Tensor Tensor::reshaped(Ints dims) const {
  Tensor result = *this;
  assert(element_count(dims) == count_);
  result.dims_ = std::move(dims);
  return result;
}

Tensor Tensor::evaluated() const {
  if (!lazy_) return *this;
  if (const Narrowed wide = narrowed_from(*this); wide.from) {
    std::vector<uint8_t> bytes(static_cast<size_t>(byte_size()));
    narrow(wide.from->evaluated().bytes(), dtype_, bytes.data(), wide.overflow);
    return Tensor(dtype_, dims_, std::move(bytes));
  }
  evaluation::Call call{lazy_->op, lazy_->opset, {}, &lazy_->attrs, lazy_->results, evaluation::kNoLimit};
  // The operands are lent, not copied: a lazy operand is computed by the kernel's own access to its bytes.
  std::vector<Tensor> ready;
  ready.reserve(lazy_->inputs.size());
  for (const Tensor& t : lazy_->inputs) ready.push_back(t.evaluated());
  for (const Tensor& t : ready) call.inputs.push_back(t.dtype() == Dtype::undefined ? nullptr : &t);
  auto results = evaluation::evaluate(call);
  if (!results) {
    throw Error(E_INTERNAL, "the constants of '" + lazy_->op + "' cannot be folded");
  }
  return results->at(static_cast<size_t>(lazy_->result)).reshaped(dims_);
}

std::span<const uint8_t> Tensor::bytes() const {
  assert(!lazy_);
  if (owned_) return *owned_;
  if (file_.file) return file_.file->bytes(file_.offset, file_.length);
  return {};
}

namespace {

template <class T, class Out>
void append_as(const Tensor& t, Out* out) {
  const auto elements = t.elements<T>();
  out->reserve(elements.size());
  for (const T e : elements) out->push_back(static_cast<typename Out::value_type>(e));
}

template <class Out>
bool append_integers(const Tensor& t, Out* out) {
  switch (t.dtype()) {
    case Dtype::bool_:
    case Dtype::uint8: append_as<uint8_t>(t, out); return true;
    case Dtype::int8: append_as<int8_t>(t, out); return true;
    case Dtype::uint16: append_as<uint16_t>(t, out); return true;
    case Dtype::int16: append_as<int16_t>(t, out); return true;
    case Dtype::uint32: append_as<uint32_t>(t, out); return true;
    case Dtype::int32: append_as<int32_t>(t, out); return true;
    case Dtype::uint64: append_as<uint64_t>(t, out); return true;
    case Dtype::int64: append_as<int64_t>(t, out); return true;
    default: return false;
  }
}

bool append_floats(const Tensor& t, Floats* out) {
  switch (t.dtype()) {
    case Dtype::float32: append_as<float>(t, out); return true;
    case Dtype::float64: append_as<double>(t, out); return true;
    case Dtype::float16:
      for (const uint16_t bits : t.elements<uint16_t>()) out->push_back(half_to_float(bits));
      return true;
    case Dtype::bfloat16:
      for (const uint16_t bits : t.elements<uint16_t>()) out->push_back(bfloat16_to_float(bits));
      return true;
    default: return false;
  }
}

}  // namespace

std::optional<Ints> Tensor::as_ints() const {
  Ints ints;
  if (append_integers(*this, &ints)) return ints;
  Floats floats;
  if (!append_floats(*this, &floats)) return std::nullopt;
  for (const double f : floats) {
    if (!(std::fabs(f) < 9.2e18) || std::trunc(f) != f) return std::nullopt;
    ints.push_back(static_cast<int64_t>(f));
  }
  return ints;
}

std::optional<Floats> Tensor::as_floats() const {
  Floats floats;
  return append_integers(*this, &floats) || append_floats(*this, &floats) ? std::optional(floats) : std::nullopt;
}

float half_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 0x1fu;
  const uint32_t mantissa = h & 0x3ffu;
  float value;
  if (exponent == 0) {
    value = std::ldexp(static_cast<float>(mantissa), -24);
    return sign ? -value : value;
  }
  const uint32_t bits =
      exponent == 31 ? sign | 0x7f800000u | (mantissa << 13) : sign | ((exponent + 112) << 23) | (mantissa << 13);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

uint16_t float_to_half(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (rest >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to infinity
  if (rest < 0x38800000u) {                                               // subnormal
    const float scaled = std::nearbyint(std::ldexp(std::fabs(value), 24));
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(scaled));
  }
  const uint32_t rounded = rest + 0xfffu + ((rest >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

float bfloat16_to_float(uint16_t b) {
  const uint32_t bits = static_cast<uint32_t>(b) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

uint16_t float_to_bfloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace fluid2onnx

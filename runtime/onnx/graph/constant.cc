#include "runtime/onnx/graph/constant.h"

#include <cmath>
#include <limits>

#include "runtime/support/bits.h"
#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

std::string number_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

template <class T>
bool narrow(int64_t value, T* out) {
  using Limits = std::numeric_limits<T>;
  if (value == std::numeric_limits<int64_t>::max()) return *out = Limits::max(), true;
  if (value == std::numeric_limits<int64_t>::min()) return *out = Limits::lowest(), true;
  *out = static_cast<T>(value);
  return static_cast<int64_t>(*out) == value && (*out < T{0}) == (value < 0);
}

template <class T>
std::optional<Tensor> integers(const Ints& ints, const Ints& shape, Dtype dtype, std::string* why) {
  std::vector<T> elements(ints.size());
  for (size_t i = 0; i < ints.size(); ++i) {
    if (!narrow(ints[i], &elements[i])) {
      if (why)
        *why = "the constant " + std::to_string(ints[i]) + " is out of range of " + std::string(dtype_name(dtype));
      return std::nullopt;
    }
  }
  return Tensor::of(dtype, shape, elements);
}

Floats floats_of(const Constant& c) {
  if (const auto* f = std::get_if<Floats>(&c.data)) return *f;
  Floats result;
  if (const auto* i = std::get_if<Ints>(&c.data)) {
    for (const int64_t v : *i) result.push_back(static_cast<double>(v));
  } else {
    for (const bool v : std::get<Bools>(c.data)) result.push_back(v ? 1 : 0);
  }
  return result;
}

/// False with `why` when a number is no integer.
bool ints_of(const Constant& c, Dtype dtype, Ints* out, std::string* why) {
  constexpr double kAboveAll = 0x1p63;  // what the largest int64 is as a float; its negative is the lowest
  if (const auto* i = std::get_if<Ints>(&c.data)) return *out = *i, true;
  for (const double f : floats_of(c)) {
    if (std::fabs(f) == kAboveAll) {
      out->push_back(f > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min());
      continue;
    }
    if (std::trunc(f) != f || !(std::fabs(f) < 9.2e18)) {
      if (why) *why = "the constant " + number_text(f) + " is not representable in " + std::string(dtype_name(dtype));
      return false;
    }
    out->push_back(static_cast<int64_t>(f));
  }
  return true;
}

/// A float that rounds to 16 bits as the number does. Rounded to nearest, a number just above the middle between two
/// 16-bit floats would fall upon it, and then to the wrong one.
float rounded_to_odd(double value) {
  const auto single = static_cast<float>(value);
  if (static_cast<double>(single) == value || std::isnan(value)) return single;
  const bool above = std::fabs(static_cast<double>(single)) > std::fabs(value);
  uint32_t bits = bits_as<uint32_t>(single);
  if (above) --bits;  // towards zero
  return bits_as<float>(bits | 1u);
}

}  // namespace

Dtype natural_dtype(const Constant& constant) {
  if (constant.dtype) return *constant.dtype;
  if (std::holds_alternative<Floats>(constant.data)) return Dtype::float32;
  return std::holds_alternative<Bools>(constant.data) ? Dtype::bool_ : Dtype::int64;
}

std::optional<Tensor> make_tensor(const Constant& constant, Dtype dtype, std::string* why) {
  const Ints& shape = constant.shape;
  const size_t size = std::visit([](const auto& list) { return list.size(); }, constant.data);
  if (static_cast<int64_t>(size) != element_count(shape)) {
    throw Error(E_BAD_PROGRAM, std::to_string(size) + " values are given for a tensor of " +
                                   std::to_string(element_count(shape)) + " elements");
  }
  if (is_floating(dtype)) {
    const Floats floats = floats_of(constant);
    switch (dtype) {
      case Dtype::float64: return Tensor::of(dtype, shape, floats);
      case Dtype::float32: return Tensor::of(dtype, shape, std::vector<float>(floats.begin(), floats.end()));
      case Dtype::float16:
      case Dtype::bfloat16: {
        std::vector<uint16_t> bits;
        for (const double f : floats) {
          const float single = rounded_to_odd(f);
          bits.push_back(dtype == Dtype::float16 ? float_to_half(single) : float_to_bfloat16(single));
        }
        return Tensor::of(dtype, shape, bits);
      }
      default: break;
    }
  }
  Ints ints;
  if (dtype == Dtype::bool_) {
    std::vector<uint8_t> bits;
    for (const double f : floats_of(constant)) bits.push_back(f != 0);
    return Tensor(dtype, shape, std::move(bits));
  }
  if (is_integer(dtype) && !ints_of(constant, dtype, &ints, why)) return std::nullopt;
  switch (dtype) {
    case Dtype::int64: return Tensor::of(dtype, shape, ints);
    case Dtype::int32: return integers<int32_t>(ints, shape, dtype, why);
    case Dtype::int16: return integers<int16_t>(ints, shape, dtype, why);
    case Dtype::int8: return integers<int8_t>(ints, shape, dtype, why);
    case Dtype::uint8: return integers<uint8_t>(ints, shape, dtype, why);
    case Dtype::uint16: return integers<uint16_t>(ints, shape, dtype, why);
    case Dtype::uint32: return integers<uint32_t>(ints, shape, dtype, why);
    case Dtype::uint64: return integers<uint64_t>(ints, shape, dtype, why);
    default: break;
  }
  if (why) *why = "there are no constants of dtype " + std::string(dtype_name(dtype));
  return std::nullopt;
}

}  // namespace fluid2onnx

// Cast between numbers and bool. Out-of-range floats have no defined integer: such casts stay in the graph.
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/onnx/graph/evaluate/evaluators.h"

namespace fluid2onnx::evaluation {
namespace {

struct Half {
  uint16_t bits;
};
struct Bfloat {
  uint16_t bits;
};
struct Bool {
  uint8_t value;
};

template <class F>
bool for_castable(Dtype dtype, F f) {
  if (dtype == Dtype::bool_) return f(Bool{}), true;
  if (dtype == Dtype::float16) return f(Half{}), true;
  if (dtype == Dtype::bfloat16) return f(Bfloat{}), true;
  return for_numbers(dtype, f);
}

// Every source as a plain number ...
float plain(Half h) { return half_to_float(h.bits); }
float plain(Bfloat b) { return bfloat16_to_float(b.bits); }
uint8_t plain(Bool b) { return b.value ? 1 : 0; }
template <class T>
requires std::is_arithmetic_v<T> T plain(T value) { return value; }

// ... and every target from one.
template <class To, class From>
To make(From value, bool* ok) {
  if constexpr (std::is_same_v<To, Bool>) {
    return Bool{static_cast<uint8_t>(value != From{0})};
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, Bfloat>) {
    const auto single = static_cast<float>(value);
    // Rounding twice (via float) could differ in the last bit.
    if (std::is_same_v<From, double> && static_cast<double>(single) != static_cast<double>(value) && value == value) {
      *ok = false;
    }
    return To{std::is_same_v<To, Half> ? float_to_half(single) : float_to_bfloat16(single)};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    const double whole = std::trunc(static_cast<double>(value));
    const double above = std::ldexp(1.0, std::numeric_limits<To>::digits);  // max + 1, exactly
    const double low = std::is_signed_v<To> ? -above : 0.0;
    if (!(whole >= low && whole < above)) return *ok = false, To{};
    return static_cast<To>(whole);
  } else {
    return static_cast<To>(value);
  }
}

Results cast(const Call& call) {
  const Tensor* x = call.input(0);
  if (!x) return std::nullopt;
  const auto to = static_cast<Dtype>(call.attr_int("to", 0));
  if (too_large(call, x->dims(), to)) return std::nullopt;
  if (to == x->dtype()) return one(*x);
  Results results;
  for_castable(x->dtype(), [&](auto from) {
    const auto source = x->elements<decltype(from)>();
    for_castable(to, [&](auto target) {
      using To = decltype(target);
      std::vector<To> out;
      out.reserve(source.size());
      bool ok = true;
      for (const auto& e : source) out.push_back(make<To>(plain(e), &ok));
      if (ok) results = one(Tensor::of(to, x->dims(), out));
    });
  });
  return results;
}

}  // namespace

bool in_range(const Tensor& x, Dtype to) {
  const Tensor ready = x.evaluated();
  const auto bytes = ready.bytes();
  bool all = true;
  return for_integers(to,
                      [&](auto target) {
                        using To = decltype(target);
                        const double above = std::ldexp(1.0, std::numeric_limits<To>::digits);
                        const double low = std::is_signed_v<To> ? -above : 0.0;
                        for (size_t i = 0; all && i < bytes.size(); i += sizeof(float)) {
                          float value;
                          std::memcpy(&value, bytes.data() + i, sizeof value);
                          const double whole = std::trunc(static_cast<double>(value));
                          all = whole >= low && whole < above;
                        }
                      }) &&
         all;
}

std::vector<Evaluator> cast_evaluators() { return {{"Cast", cast, true}}; }

}  // namespace fluid2onnx::evaluation

// Neg, Abs, Sign, Sqrt, Log, Floor, Ceil, Round, Reciprocal, Clip, Identity.
#include <cmath>

#include "runtime/onnx/graph/evaluate/evaluators.h"

namespace fluid2onnx::evaluation {
namespace {

template <class T, class F>
Tensor map(const Tensor& x, F f) {
  auto elements = x.elements<T>();
  for (T& e : elements) e = f(e);
  return Tensor::of(x.dtype(), x.dims(), elements);
}

template <class F>
Results floats_only(const Call& call) {
  const Tensor* x = call.input(0);
  if (!x) return std::nullopt;
  if (x->dtype() == Dtype::float32) return one(map<float>(*x, F{}));
  if (x->dtype() == Dtype::float64) return one(map<double>(*x, F{}));
  return std::nullopt;
}

template <class F>
Results numbers(const Call& call) {
  const Tensor* x = call.input(0);
  Results results;
  if (x) for_numbers(x->dtype(), [&](auto t) { results = one(map<decltype(t)>(*x, F{})); });
  return results;
}

constexpr auto square_root = [](auto a) { return std::sqrt(a); };
constexpr auto round_down = [](auto a) { return std::floor(a); };
constexpr auto round_up = [](auto a) { return std::ceil(a); };
constexpr auto round_half_to_even = [](auto a) { return std::nearbyint(a); };
constexpr auto reciprocal = [](auto a) { return 1 / a; };
constexpr auto negative = [](auto a) {
  if constexpr (std::is_floating_point_v<decltype(a)>) return -a;
  else return static_cast<decltype(a)>(uint64_t{0} - static_cast<uint64_t>(a));
};
constexpr auto absolute = [](auto a) {
  if constexpr (std::is_floating_point_v<decltype(a)>) return std::fabs(a);
  else return a < decltype(a){0} ? negative(a) : a;
};
constexpr auto sign_of = []<class T>(T a) -> T {
  if (a != a) return a;
  return a > T{0} ? T{1} : a < T{0} ? static_cast<T>(-1) : T{0};
};

/// In float64, whose last bits no tolerance sees: libraries round logarithms differently.
Results log(const Call& call) {
  const Tensor* x = call.input(0);
  if (!x || x->dtype() != Dtype::float64) return std::nullopt;
  return one(map<double>(*x, [](double a) { return std::log(a); }));
}

template <class T>
Results clip_as(const Tensor& x, const Tensor* low, const Tensor* high) {
  if ((low && (low->count() != 1 || low->dtype() != x.dtype())) ||
      (high && (high->count() != 1 || high->dtype() != x.dtype()))) {
    return std::nullopt;
  }
  const T least = low ? low->elements<T>()[0] : T{}, most = high ? high->elements<T>()[0] : T{};
  auto elements = x.elements<T>();
  for (T& e : elements) {
    if (low && e < least) e = least;
    if (high && most < e) e = most;
  }
  return one(Tensor::of(x.dtype(), x.dims(), elements));
}

Results clip(const Call& call) {
  const Tensor* x = call.input(0);
  if (!x) return std::nullopt;
  Tensor low, high;
  const auto bound = [&](const char* name, Tensor* t) -> const Tensor* {  // up to opset 10
    const AttrValue* value = call.attr(name);
    const auto* number = value ? std::get_if<double>(value) : nullptr;
    if (!number) return nullptr;
    if (x->dtype() == Dtype::float64) {
      *t = Tensor::of(Dtype::float64, {}, std::vector<double>{static_cast<float>(*number)});
    } else {
      *t = Tensor::of(Dtype::float32, {}, std::vector<float>{static_cast<float>(*number)});
    }
    return t;
  };
  const Tensor* from = call.input(1) ? call.input(1) : bound("min", &low);
  const Tensor* to = call.input(2) ? call.input(2) : bound("max", &high);
  Results results;
  for_numbers(x->dtype(), [&](auto t) { results = clip_as<decltype(t)>(*x, from, to); });
  return results;
}

Results identity(const Call& call) {
  if (!call.input(0)) return std::nullopt;
  return one(*call.input(0));
}

}  // namespace

std::vector<Evaluator> unary_evaluators() {
  return {{"Neg", numbers<decltype(negative)>, true},
          {"Abs", numbers<decltype(absolute)>, true},
          {"Sign", numbers<decltype(sign_of)>},
          {"Sqrt", floats_only<decltype(square_root)>, true},
          {"Log", log},
          {"Floor", floats_only<decltype(round_down)>},
          {"Ceil", floats_only<decltype(round_up)>},
          {"Round", floats_only<decltype(round_half_to_even)>},
          {"Reciprocal", floats_only<decltype(reciprocal)>, true},
          {"Clip", clip},
          {"Identity", identity, true, true}};
}

}  // namespace fluid2onnx::evaluation

// Equal, Less, Greater ..., And, Or, Xor, Not: results are bool.
#include <functional>

#include "runtime/onnx/graph/evaluate/evaluators.h"

namespace fluid2onnx::evaluation {
namespace {

template <class T, class F>
Results compare_as(const Call& call, const Tensor& a, const Tensor& b, F f) {
  const auto dims = broadcast(a.dims(), b.dims());
  if (!dims || too_large(call, *dims, Dtype::bool_)) return std::nullopt;
  const auto x = a.elements<T>();
  const auto y = b.elements<T>();
  std::vector<uint8_t> result(static_cast<size_t>(element_count(*dims)));
  walk<2>(*dims, {broadcast_strides(a.dims(), *dims), broadcast_strides(b.dims(), *dims)},
          [&](int64_t n, const std::array<int64_t, 2>& at) {
            result[static_cast<size_t>(n)] = f(x[static_cast<size_t>(at[0])], y[static_cast<size_t>(at[1])]);
          });
  return one(Tensor(Dtype::bool_, *dims, std::move(result)));
}

constexpr auto exclusive_or = [](uint8_t a, uint8_t b) { return !a != !b; };

template <class F>
Results compare(const Call& call) {
  const Tensor* a = call.input(0);
  const Tensor* b = call.input(1);
  if (!a || !b || a->dtype() != b->dtype()) return std::nullopt;
  if (std::is_same_v<F, std::equal_to<>> && a->dtype() == Dtype::bool_) return compare_as<uint8_t>(call, *a, *b, F{});
  Results results;
  for_numbers(a->dtype(), [&](auto t) { results = compare_as<decltype(t)>(call, *a, *b, F{}); });
  return results;
}

template <class F>
Results logic(const Call& call) {
  const Tensor* a = call.input(0);
  const Tensor* b = call.input(1);
  if (!a || !b || a->dtype() != Dtype::bool_ || b->dtype() != Dtype::bool_) return std::nullopt;
  return compare_as<uint8_t>(call, *a, *b, F{});
}

Results logical_not(const Call& call) {
  const Tensor* a = call.input(0);
  if (!a || a->dtype() != Dtype::bool_) return std::nullopt;
  auto result = a->elements<uint8_t>();
  for (uint8_t& e : result) e = !e;
  return one(Tensor(Dtype::bool_, a->dims(), std::move(result)));
}

}  // namespace

std::vector<Evaluator> comparison_evaluators() {
  return {{"Equal", compare<std::equal_to<>>},
          {"Less", compare<std::less<>>},
          {"LessOrEqual", compare<std::less_equal<>>},
          {"Greater", compare<std::greater<>>},
          {"GreaterOrEqual", compare<std::greater_equal<>>},
          {"And", logic<std::logical_and<>>},
          {"Or", logic<std::logical_or<>>},
          {"Xor", logic<decltype(exclusive_or)>},
          {"Not", logical_not}};
}

}  // namespace fluid2onnx::evaluation

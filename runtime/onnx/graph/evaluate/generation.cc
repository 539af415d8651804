// Range, ConstantOfShape and EyeLike: results without the elements of an operand.
#include <algorithm>
#include <cmath>

#include "runtime/onnx/graph/constant.h"
#include "runtime/onnx/graph/evaluate/evaluators.h"
#include "runtime/support/bits.h"
#include "runtime/support/limits.h"

namespace fluid2onnx::evaluation {
namespace {

template <class T>
Results range_as(const Call& call, Dtype dtype) {
  const T start = call.inputs[0]->elements<T>()[0];
  const T limit = call.inputs[1]->elements<T>()[0];
  const T delta = call.inputs[2]->elements<T>()[0];
  if (delta == T{0}) return std::nullopt;
  using limits::kRangeElements;
  int64_t count = 0;
  if constexpr (std::is_integral_v<T>) {
    count = static_cast<int64_t>(std::min<uint64_t>(range_count(start, limit, delta), kRangeElements));
  } else {
    const double exact =
        std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
    if (!(std::fabs(exact) < static_cast<double>(kRangeElements))) return std::nullopt;
    count = static_cast<int64_t>(std::max(exact, 0.0));
  }
  if (count == kRangeElements || too_large(call, {count}, dtype)) return std::nullopt;
  std::vector<T> elements;
  T at = start;  // added up, not multiplied: so do runtimes, which matters for floats
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) at = static_cast<T>(at + delta);
    elements.push_back(at);
  }
  return one(Tensor::of(dtype, {count}, elements));
}

Results range(const Call& call) {
  for (size_t i = 0; i < 3; ++i) {
    if (!call.input(i) || call.input(i)->count() != 1 || call.input(i)->dtype() != call.input(0)->dtype()) {
      return std::nullopt;
    }
  }
  const Dtype dtype = call.input(0)->dtype();
  Results results;
  if (dtype == Dtype::int16 || dtype == Dtype::int32 || dtype == Dtype::int64 || is_floating(dtype)) {
    for_numbers(dtype, [&](auto t) { results = range_as<decltype(t)>(call, dtype); });
  }
  return results;
}

Results constant_of_shape(const Call& call) {
  const auto dims = call.ints(0, "");
  if (!dims) return std::nullopt;
  Tensor element = Tensor::of(Dtype::float32, {1}, std::vector<float>{0});
  if (const AttrValue* value = call.attr("value")) {
    const auto* constant = std::get_if<Constant>(value);
    if (!constant) return std::nullopt;
    const auto made = make_tensor(*constant, natural_dtype(*constant));
    if (!made || made->count() != 1) return std::nullopt;
    element = *made;
  }
  if (too_large(call, *dims, element.dtype())) return std::nullopt;
  const auto pattern = element.bytes();
  std::vector<uint8_t> bytes;
  const int64_t count = element_count(*dims);
  bytes.reserve(static_cast<size_t>(count) * pattern.size());
  for (int64_t i = 0; i < count; ++i) bytes.insert(bytes.end(), pattern.begin(), pattern.end());
  return one(Tensor(element.dtype(), *dims, std::move(bytes)));
}

Results eye_like(const Call& call) {
  const Tensor* x = call.input(0);
  if (!x || x->rank() != 2) return std::nullopt;
  const auto dtype = static_cast<Dtype>(call.attr_int("dtype", static_cast<int64_t>(x->dtype())));
  const int64_t diagonal = call.attr_int("k", 0);
  if (too_large(call, x->dims(), dtype)) return std::nullopt;
  const int64_t columns = x->dims()[1];
  Results results;
  for_numbers(dtype, [&](auto t) {
    std::vector<decltype(t)> elements(static_cast<size_t>(x->count()));
    for (int64_t i = 0; i < x->dims()[0]; ++i) {
      if (diagonal < -i || diagonal >= columns - i) continue;
      elements[static_cast<size_t>(i * columns + i + diagonal)] = 1;
    }
    results = one(Tensor::of(dtype, x->dims(), elements));
  });
  return results;
}

}  // namespace

std::vector<Evaluator> generation_evaluators() {
  return {{"Range", range}, {"ConstantOfShape", constant_of_shape}, {"EyeLike", eye_like}};
}

}  // namespace fluid2onnx::evaluation

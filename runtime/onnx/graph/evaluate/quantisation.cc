// QuantizeLinear to 8 bits, with one scale or one for each index of an axis.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/onnx/graph/evaluate/evaluators.h"

namespace fluid2onnx::evaluation {
namespace {

/// The axis that the scale belongs to: 0 when there is one for all; -1 when the operands do not fit.
int64_t scaled_axis(const Call& call) {
  const Tensor* x = call.input(0);
  const Tensor* scale = call.input(1);
  const Tensor* zero = call.input(2);
  if (!x || !scale || !zero || call.attr_int("block_size", 0) != 0) return -1;
  if (x->dtype() != Dtype::float32 || scale->dtype() != Dtype::float32) return -1;
  if (zero->count() != scale->count() || (zero->dtype() != Dtype::int8 && zero->dtype() != Dtype::uint8)) return -1;
  if (scale->count() == 1 && scale->rank() == 0) return 0;
  const int64_t axis = normal_axis(call.attr_int("axis", 1), x->rank());
  return axis >= 0 && scale->rank() == 1 && scale->count() == x->dims()[static_cast<size_t>(axis)] ? axis : -1;
}

template <class T>
Tensor quantised(const Tensor& x, const Tensor& scale, const Tensor& zero_point, int64_t axis) {
  const auto in = x.elements<float>();
  const auto scales = scale.elements<float>();
  const auto zeros = zero_point.elements<T>();
  size_t inner = 1;  // elements in a row with the same scale
  for (size_t i = static_cast<size_t>(axis) + 1; i < x.dims().size(); ++i) inner *= static_cast<size_t>(x.dims()[i]);
  if (scales.size() == 1) inner = in.size();
  std::vector<T> out(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    const size_t at = i / inner % scales.size();
    const float step = std::nearbyint(in[i] / scales[at]) + static_cast<float>(zeros[at]);
    constexpr float kLow = std::numeric_limits<T>::lowest(), kHigh = std::numeric_limits<T>::max();
    out[i] = step != step ? zeros[at] : static_cast<T>(std::clamp(step, kLow, kHigh));  // NaN: 0 / 0
  }
  return Tensor::of(zero_point.dtype(), x.dims(), out);
}

Results quantize_linear(const Call& call) {
  const int64_t axis = scaled_axis(call);
  if (axis < 0 || too_large(call, call.input(0)->dims(), call.input(2)->dtype())) return std::nullopt;
  const Tensor &x = *call.input(0), &scale = *call.input(1), &zero_point = *call.input(2);
  return one(zero_point.dtype() == Dtype::int8 ? quantised<int8_t>(x, scale, zero_point, axis)
                                               : quantised<uint8_t>(x, scale, zero_point, axis));
}

}  // namespace

bool scale_fits(const Tensor& x, const Tensor& scale, const Tensor& zero_point, const Attrs& attrs) {
  return scaled_axis({"QuantizeLinear", 0, {&x, &scale, &zero_point}, &attrs}) >= 0;
}

std::vector<Evaluator> quantisation_evaluators() { return {{"QuantizeLinear", quantize_linear, true}}; }

}  // namespace fluid2onnx::evaluation

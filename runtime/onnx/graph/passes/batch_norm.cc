#include "runtime/onnx/graph/passes/batch_norm.h"

#include <cmath>

#include "runtime/onnx/graph/attributes.h"

namespace fluid2onnx {

std::optional<Floats> constant_floats(const Model& model, Value v) {
  const auto& constant = model[v].constant;
  return constant && constant->dtype() == Dtype::float32 ? constant->as_floats() : std::nullopt;
}

std::optional<Affine> affine_of(const Model& model, const Node& norm, const Floats& bias) {
  const auto scale = constant_floats(model, norm.inputs[1]), shift = constant_floats(model, norm.inputs[2]);
  const auto mean = constant_floats(model, norm.inputs[3]), variance = constant_floats(model, norm.inputs[4]);
  if (!scale || !shift || !mean || !variance) return std::nullopt;
  const auto* attribute = find_attribute(norm, "epsilon");
  const double epsilon = attribute ? attribute->f() : 1e-5F;
  const size_t channels = scale->size();
  if (shift->size() != channels || mean->size() != channels || variance->size() != channels) return std::nullopt;
  if (!bias.empty() && bias.size() != channels) return std::nullopt;
  Affine result;
  for (size_t i = 0; i < channels; ++i) {
    const double factor = (*scale)[i] / std::sqrt((*variance)[i] + epsilon);
    const double addend = (*shift)[i] + factor * ((bias.empty() ? 0 : bias[i]) - (*mean)[i]);
    result.factors.push_back(static_cast<float>(factor));
    result.addends.push_back(static_cast<float>(addend));
    if (!std::isfinite(result.factors.back()) || !std::isfinite(result.addends.back())) return std::nullopt;
  }
  return result;
}

bool is_inference(const Node& norm) {
  if (int_attribute(norm, "training_mode", 0) != 0) return false;
  for (size_t i = 1; i < norm.outputs.size(); ++i) {
    if (norm.outputs[i]) return false;
  }
  return true;
}

std::optional<Tensor> scaled_filter(const Model& model, const Tensor& filter, size_t axis, const Tensor& factors) {
  if (factors.count() != filter.dims()[axis]) return std::nullopt;
  Ints dims(filter.dims().size(), 1);
  dims[axis] = factors.count();
  return Tensor::computed(filter.dtype(), filter.dims(),
                          LazyTensor{"Mul", model.opset(), {}, {filter, factors.reshaped(dims)}, 0, 1});
}

}  // namespace fluid2onnx

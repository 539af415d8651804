// BatchNormalization with running statistics: y = factors * x + addends, channel by channel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/onnx/graph/graph.h"

namespace fluid2onnx {

struct Affine {
  std::vector<float> factors, addends;
};

/// The elements of a float32 constant.
std::optional<Floats> constant_floats(const Model& model, Value v);

/// Nothing if an operand is not constant, or a value is not finite. `bias`: the bias added to x before, one value for
/// each channel or empty.
std::optional<Affine> affine_of(const Model& model, const Node& norm, const Floats& bias);

/// False if the node computes statistics of its operand.
bool is_inference(const Node& norm);

/// The filter times one factor of its dtype for each index of `axis`, computed when it is written. Nothing if there are
/// more or fewer indices than factors.
std::optional<Tensor> scaled_filter(const Model& model, const Tensor& filter, size_t axis, const Tensor& factors);

}  // namespace fluid2onnx

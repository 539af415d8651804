// BatchNormalization by statistics of the training: y = factors * x + addends, channel by channel.
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

/// Nothing if an operand is not constant, or a number is not finite. `bias`: what is added to x before, one number for
/// each channel or nothing.
std::optional<Affine> affine_of(const Model& model, const Node& norm, const Floats& bias);

/// False if the node computes statistics of its operand.
bool works_on_statistics(const Node& norm);

/// The filter times one factor of its dtype for each index of `axis`, computed when it is written. Nothing if there are
/// more or fewer indices than factors.
std::optional<Tensor> scaled_filter(const Model& model, const Tensor& filter, size_t axis, const Tensor& factors);

}  // namespace fluid2onnx

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/batch_norm.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

/// What multiplies a filter by its channels' factors: the constant, or the step of each channel.
bool scale_filter(Model& model, Node& conv, size_t axis, const std::vector<float>& factors) {
  const Value filter = conv.inputs[1];
  const auto scaled = scaled_filter(model, *model[filter].constant, axis,
                                    Tensor::of(Dtype::float32, {static_cast<int64_t>(factors.size())}, factors));
  if (!scaled) return false;
  conv.inputs[1] = model.add_constant(*scaled, model[filter].name);
  return true;
}

/// True if a runtime can store the bias in 32 bits, in steps of products of the operands' steps.
bool fits_int32(const Model& model, const Node& conv, const std::vector<float>& steps, const std::vector<float>& bias) {
  constexpr double kMostSteps = 1 << 30;
  const Node* above = model.producer(conv.inputs[0]);
  if (!above || !above->is("DequantizeLinear")) return true;  // computed in floats
  const auto input = constant_floats(model, above->inputs[1]);
  if (!input || input->size() != 1) return false;
  for (size_t i = 0; i < bias.size(); ++i) {
    if (!(std::fabs(bias[i]) < kMostSteps * input->front() * steps[i])) return false;
  }
  return true;
}

/// The same for a filter of int8 weights. Channels with a negative factor change their sign, so that steps are
/// positive.
bool scale_steps(Model& model, const Node& conv, size_t axis, const Affine& affinity) {
  constexpr int kFirstOpset = 13;  // of DequantizeLinear's axis
  Node& dequantize = model.node(model[conv.inputs[1]].producer);
  const Value filter = dequantize.inputs[0];
  const auto steps = constant_floats(model, dequantize.inputs[1]);
  if (model.opset() < kFirstOpset || dequantize.inputs.size() > 2 || !model[filter].constant ||
      model.dtype(filter) != Dtype::int8 || !steps) {
    return false;
  }
  Tensor weights = *model[filter].constant;
  const std::vector<float>& factors = affinity.factors;
  if (static_cast<int64_t>(factors.size()) != weights.dims()[axis]) return false;
  const bool per_channel = steps->size() != 1;
  if (per_channel &&
      (steps->size() != factors.size() || int_attribute(dequantize, "axis", 1) != static_cast<int64_t>(axis))) {
    return false;
  }
  std::vector<float> scaled;
  std::vector<int8_t> signs;
  for (size_t i = 0; i < factors.size(); ++i) {
    scaled.push_back(static_cast<float>((*steps)[per_channel ? i : 0] * std::fabs(factors[i])));
    signs.push_back(factors[i] < 0 ? -1 : 1);
    if (!std::isnormal(scaled.back())) return false;
  }
  if (!fits_int32(model, conv, scaled, affinity.addends)) return false;
  if (std::find(signs.begin(), signs.end(), -1) != signs.end()) {
    const auto elements = weights.elements<int8_t>();
    const bool lowest = std::find(elements.begin(), elements.end(), -128) != elements.end();
    const auto turned = scaled_filter(model, weights, axis, Tensor::of(Dtype::int8, {weights.dims()[axis]}, signs));
    if (lowest || !turned) return false;
    weights = *turned;
  }
  dequantize.inputs[0] = model.add_constant(weights, model[filter].name);
  dequantize.inputs[1] = model.add_constant(Tensor::of(Dtype::float32, {weights.dims()[axis]}, scaled));
  dequantize.attributes = to_protos({Attr("axis", static_cast<int64_t>(axis))});
  return true;
}

/// What a BatchNormalization is folded into.
enum class Products { convolutions, quantised_convolutions, matrices };

bool factor_is_one(const Node& gemm, std::string_view name) {
  const auto* attribute = find_attribute(gemm, name);
  return !attribute || attribute->f() == 1;
}

/// The axis of the filter or matrix that becomes the result's channels. Nothing for other operators.
std::optional<size_t> channel_axis(const Model& model, const Node& node, Products products) {
  if (products != Products::matrices) {
    if (node.is("Conv")) return 0;
    return node.is("ConvTranspose") && int_attribute(node, "group", 1) == 1 ? std::optional<size_t>(1) : std::nullopt;
  }
  if (node.is("Gemm") && factor_is_one(node, "alpha") && factor_is_one(node, "beta"))
    return int_attribute(node, "transB", 0) ? 0 : 1;
  const auto* left = node.is("MatMul") ? model.shape(node.inputs[0]) : nullptr;
  const auto* right = left ? model.shape(node.inputs[1]) : nullptr;
  return right && left->dim_size() == 2 && right->dim_size() == 2 ? std::optional<size_t>(1) : std::nullopt;
}

/// The bias of each channel; empty without a bias. Nothing if it is unknown, or if a Gemm has one for each row.
std::optional<Floats> bias_of(const Model& model, const Node& product) {
  if (product.inputs.size() < 3 || !product.inputs[2]) return Floats();
  const auto bias = constant_floats(model, product.inputs[2]);
  if (!bias) return std::nullopt;
  const Ints& dims = model[product.inputs[2]].constant->dims();
  return dims.empty() || dims.back() != static_cast<int64_t>(bias->size()) ? std::nullopt : bias;
}

/// True if the BatchNormalization has become part of the product before it.
bool merge_batch_norm(Model& model, const std::vector<int32_t>& counts, const Node& norm, Products products) {
  const auto read_once = [&](Value v) {
    const auto i = static_cast<size_t>(v.id);
    return i >= counts.size() || counts[i] == 1;  // this pass adds constants for one reader each
  };
  const Value x = norm.inputs[0];
  const NodeId above = model[x].producer;
  if (above < 0 || !read_once(x) || !is_inference(norm)) return false;
  Node& product = model.node(above);
  const auto axis = channel_axis(model, product, products);
  if (!axis || product.graph != norm.graph) return false;
  const Value filter = product.inputs[1];
  const Node* filter_from = model.producer(filter);
  const bool quantised = filter_from && filter_from->is("DequantizeLinear") && filter_from->graph == norm.graph;
  if (products == Products::quantised_convolutions ? !quantised : !model[filter].constant) return false;
  if (model.dtype(filter) != Dtype::float32 || !read_once(filter)) return false;
  const auto bias = bias_of(model, product);
  const auto affinity = bias ? affine_of(model, norm, *bias) : std::nullopt;
  if (!affinity) return false;

  const bool scaled = quantised ? scale_steps(model, product, *axis, *affinity)
                                : scale_filter(model, product, *axis, affinity->factors);
  if (!scaled) return false;
  const Ints channels{static_cast<int64_t>(affinity->addends.size())};
  if (product.is("MatMul")) product.op_type = "Gemm";
  product.inputs.resize(3);
  product.inputs[2] =
      model.add_constant(Tensor::of(Dtype::float32, channels, affinity->addends), model[norm.inputs[2]].name);
  model.set_result(above, 0, norm.outputs[0]);
  return true;
}

int merge_batch_norms(Model& model, Products products) {
  const auto counts = model.use_counts();
  return erase_merged(model, "BatchNormalization", [&](const Node& norm) {
    const GraphId here = model.switch_to(norm.graph);
    const bool merged = merge_batch_norm(model, counts, norm, products);
    model.switch_to(here);
    return merged;
  });
}

}  // namespace

int fuse_batch_norms(Model& model) { return merge_batch_norms(model, Products::convolutions); }

int fuse_quantised_batch_norms(Model& model) { return merge_batch_norms(model, Products::quantised_convolutions); }

int fuse_batch_norms_of_matrices(Model& model) { return merge_batch_norms(model, Products::matrices); }

}  // namespace fluid2onnx

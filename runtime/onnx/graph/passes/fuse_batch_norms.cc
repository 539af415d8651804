#include <cmath>
#include <optional>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

/// y = factors * x + addends, channel by channel.
struct Affine {
  std::vector<float> factors, addends;
};

bool read_floats(const Model& model, Value v, Floats* out) {
  const auto& constant = model[v].constant;
  return constant && constant->dtype() == Dtype::float32 && constant->as_floats(out);
}

/// `bias`: what is added to x before, one for each channel or nothing.
std::optional<Affine> affine(const Model& model, const Node& norm, const Floats& bias) {
  Floats scale, shift, mean, variance;
  if (!read_floats(model, norm.inputs[1], &scale) || !read_floats(model, norm.inputs[2], &shift) ||
      !read_floats(model, norm.inputs[3], &mean) || !read_floats(model, norm.inputs[4], &variance)) {
    return std::nullopt;
  }
  const auto* attribute = find_attribute(norm, "epsilon");
  const double epsilon = attribute ? attribute->f() : 1e-5F;
  const size_t channels = scale.size();
  if (shift.size() != channels || mean.size() != channels || variance.size() != channels) return std::nullopt;
  if (!bias.empty() && bias.size() != channels) return std::nullopt;
  Affine result;
  for (size_t i = 0; i < channels; ++i) {
    const double factor = scale[i] / std::sqrt(variance[i] + epsilon);
    const double addend = shift[i] + factor * ((bias.empty() ? 0 : bias[i]) - mean[i]);
    result.factors.push_back(static_cast<float>(factor));
    result.addends.push_back(static_cast<float>(addend));
    if (!std::isfinite(result.factors.back()) || !std::isfinite(result.addends.back())) return std::nullopt;
  }
  return result;
}

bool works_on_statistics(const Node& norm) {
  if (int_attribute(norm, "training_mode", 0) != 0) return false;
  for (size_t i = 1; i < norm.outputs.size(); ++i) {
    if (norm.outputs[i]) return false;
  }
  return true;
}

/// True if the BatchNormalization has become part of the convolution before it.
bool merge_batch_norm(Model& model, const std::vector<int32_t>& counts, const Node& norm) {
  const auto read_once = [&](Value v) { return counts[static_cast<size_t>(v.id)] == 1; };
  const Value x = norm.inputs[0];
  const NodeId above = model[x].producer;
  if (above < 0 || !read_once(x) || !works_on_statistics(norm)) return false;
  Node& conv = model.node(above);
  const bool transposed = conv.is("ConvTranspose");
  if (conv.graph != norm.graph || (!transposed && !conv.is("Conv"))) return false;
  if (transposed && int_attribute(conv, "group", 1) != 1) return false;
  const Value filter = conv.inputs[1];
  if (!model[filter].constant || model.dtype(filter) != Dtype::float32 || !read_once(filter)) return false;
  Floats bias;
  const bool biased = conv.inputs.size() > 2 && conv.inputs[2];
  if (biased && !read_floats(model, conv.inputs[2], &bias)) return false;
  const auto affinity = affine(model, norm, bias);
  if (!affinity) return false;

  const Tensor weights = *model[filter].constant;
  Ints dims(weights.dims().size(), 1);
  dims[transposed ? 1 : 0] = static_cast<int64_t>(affinity->factors.size());
  if (dims[transposed ? 1 : 0] != weights.dims()[transposed ? 1 : 0]) return false;
  const Tensor factors = Tensor::of(Dtype::float32, dims, affinity->factors);
  const Tensor addends = Tensor::of(Dtype::float32, {factors.count()}, affinity->addends);
  const auto product =
      Tensor::computed(Dtype::float32, weights.dims(), LazyTensor{"Mul", model.opset(), {}, {weights, factors}, 0, 1});
  if (!product) return false;
  const std::string bias_name = model[norm.inputs[2]].name;
  const std::string filter_name = model[filter].name;
  conv.inputs.resize(3);
  conv.inputs[1] = model.add_constant(*product, filter_name);
  conv.inputs[2] = model.add_constant(addends, bias_name);
  model.set_result(above, 0, norm.outputs[0]);
  return true;
}

}  // namespace

int fuse_batch_norms(Model& model) {
  const auto counts = model.use_counts();
  int changes = 0;
  for (const GraphId g : reachable_graphs(model)) {
    const GraphId here = model.switch_to(g);
    changes += static_cast<int>(std::erase_if(model.graph(g).nodes, [&](NodeId id) {
      return model.node(id).is("BatchNormalization") && merge_batch_norm(model, counts, model.node(id));
    }));
    model.switch_to(here);
  }
  return changes;
}

}  // namespace fluid2onnx

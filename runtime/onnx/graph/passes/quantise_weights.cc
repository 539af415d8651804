// Integer weights. Paddle's older quantised models store integer weights and activations as floats, and multiply the
// result by what a step of either measures:
//
//   Mul(Conv(Cast(QuantizeLinear(x, s)), w), c)
//
// This becomes what runtimes have integer kernels for, with the weights in a quarter of the space:
//
//   Conv(DequantizeLinear(QuantizeLinear(x, s), s), DequantizeLinear(int8 w, c / s))
//
// Where there is no such Mul, the weights become DequantizeLinear(int8 w, 1).
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

constexpr int kFirstOpset = 10;      // of DequantizeLinear
constexpr int kFirstAxisOpset = 13;  // of its axis

const Tensor* float_constant(const Model& model, Value v) {
  if (!v || !model[v].constant || model[v].constant->dtype() != Dtype::float32) return nullptr;
  return &*model[v].constant;
}

/// The numbers as int8, if they are whole and in range.
std::optional<Tensor> int8_of(const Tensor& t, int opset) {
  const auto elements = t.elements<float>();
  const bool whole = std::all_of(elements.begin(), elements.end(), [](float e) {
    return e >= -128 && e <= 127 && e == static_cast<float>(static_cast<int>(e));
  });
  if (!whole) return std::nullopt;
  return Tensor::computed(Dtype::int8, t.dims(),
                          LazyTensor{"Cast", opset, {Attr("to", static_cast<int64_t>(Dtype::int8))}, {t}, 0, 1});
}

class WeightQuantiser {
 public:
  explicit WeightQuantiser(Model& model) : model_(model), counts_(model.use_counts()), outputs_(graph_outputs(model)) {
    for (const NodeId id : model.main().nodes) {
      for (const Value v : model.node(id).inputs) {
        if (v) reader_[v.id] = id;
      }
    }
  }

  int run() {
    int changes = 0;
    const auto nodes = model_.main().nodes;
    for (const NodeId id : nodes) changes += rewrite(id) ? 1 : 0;
    std::vector<NodeId> order;
    for (const NodeId id : nodes) {
      const auto before = before_.find(id);
      if (before != before_.end()) order.insert(order.end(), before->second.begin(), before->second.end());
      if (!removed_.count(id)) order.push_back(id);
    }
    if (changes) model_.main().nodes = std::move(order);
    return changes;
  }

 private:
  /// The activation as the node reads it: through `reader` (itself, or a node that only changes dims) from a Cast.
  struct Activation {
    NodeId reader = -1, quantize = -1;
    Value steps;  ///< int8
  };

  bool read_once(Value v) const {
    return counts_[static_cast<size_t>(v.id)] == 1 && !outputs_[static_cast<size_t>(v.id)];
  }

  Activation activation(NodeId reader) const {
    const Value v = model_.node(reader).inputs[0];
    const NodeId above = model_[v].producer;
    if (above < 0) return {};
    const Node& node = model_.node(above);
    if (node.is("Reshape") || node.is("Flatten") || node.is("Squeeze") || node.is("Transpose")) {
      return read_once(v) ? activation(above) : Activation();
    }
    if (!node.is("Cast") || model_.dtype(node.inputs[0]) != Dtype::int8) return {};
    const NodeId quantize = model_[node.inputs[0]].producer;
    if (quantize < 0 || !model_.node(quantize).is("QuantizeLinear")) return {};
    return {reader, quantize, node.inputs[0]};
  }

  /// The axis of the weight that counts the results' channels; -1 if missing.
  int64_t channel_axis(const Node& node, const Tensor& weight) const {
    if (node.is("MatMul")) return weight.rank() == 2 ? 1 : -1;
    if (node.is("Conv")) return 0;
    return int_attribute(node, "group", 1) == 1 ? 1 : -1;
  }

  /// The factors as a list of one per channel, or of one for all; empty when they are neither.
  Floats per_channel(const Node& node, const Tensor& weight, const Tensor& factor) const {
    const auto all = factor.as_floats();
    // A factor of higher rank would give the product more axes.
    if (!all || factor.rank() > weight.rank()) return {};
    if (factor.count() == 1) return *all;
    const int64_t axis = channel_axis(node, weight);
    if (axis < 0 || model_.opset() < kFirstAxisOpset || factor.count() != weight.dims()[static_cast<size_t>(axis)]) {
      return {};
    }
    // Channels are the last axis of a matrix product, and have the image's axes behind them in a convolution.
    const int64_t behind = node.is("MatMul") ? 0 : weight.rank() - 2;
    const int64_t at = factor.rank() - 1 - behind;
    return at >= 0 && factor.dims()[static_cast<size_t>(at)] == factor.count() ? *all : Floats();
  }

  Value dequantized(NodeId before, Value steps, const Floats& scale, int64_t axis, const onnx::TypeProto& type) {
    const std::vector<float> numbers(scale.begin(), scale.end());
    const Ints dims = scale.size() == 1 ? Ints{} : Ints{static_cast<int64_t>(scale.size())};
    const Value constant = model_.add_constant(Tensor::of(Dtype::float32, dims, numbers));
    const Attrs attributes = dims.empty() ? Attrs{} : Attrs{Attr("axis", axis)};
    const Value result = model_.append("DequantizeLinear", {steps, constant}, attributes, type);
    before_[before].push_back(model_[result].producer);
    return result;
  }

  bool rewrite(NodeId id) {
    const Node node = model_.node(id);
    if (!node.is("Conv") && !node.is("ConvTranspose") && !node.is("MatMul")) return false;
    const Tensor* weight = node.inputs.size() == 2 ? float_constant(model_, node.inputs[1]) : nullptr;
    const Activation x = activation(id);
    if (!weight || x.reader < 0) return false;
    const auto whole = int8_of(*weight, model_.opset());
    if (!whole) return false;
    const Value steps = model_.add_constant(*whole, model_[node.inputs[1]].name + "/int8");
    const onnx::TypeProto type = model_[node.inputs[1]].type();

    // The factors behind the node.
    const Tensor* scale = float_constant(model_, model_.node(x.quantize).inputs[1]);
    const auto reader = reader_.find(node.outputs[0].id);
    if (scale && scale->count() == 1 && read_once(node.outputs[0]) && reader != reader_.end() &&
        model_.node(reader->second).is("Mul")) {
      const Node& product = model_.node(reader->second);
      const Tensor* factor = float_constant(model_, product.inputs[product.inputs[0] == node.outputs[0] ? 1 : 0]);
      Floats scales = factor ? per_channel(node, *weight, *factor) : Floats();
      const double step = scale->elements<float>()[0];
      if (!scales.empty() && step > 0) {
        for (double& s : scales) s /= step;
        Node scaled = node;
        const Value cast = model_.node(x.reader).inputs[0];
        const Value input = dequantized(x.reader, x.steps, {step}, 0, model_[cast].type());
        if (x.reader == id) scaled.inputs[0] = input;
        else model_.node(x.reader).inputs[0] = input;
        scaled.inputs[1] = dequantized(id, steps, scales, channel_axis(node, *weight), type);
        scaled.outputs = product.outputs;
        removed_.insert({id, reader->second});
        before_[id].push_back(model_.add_node(std::move(scaled)));
        return true;
      }
    }
    model_.node(id).inputs[1] = dequantized(id, steps, {1.0}, 0, type);
    return true;
  }

  Model& model_;
  const std::vector<int32_t> counts_;
  const std::vector<bool> outputs_;
  std::map<int32_t, NodeId> reader_;  // of a value: the last one
  std::map<NodeId, std::vector<NodeId>> before_;
  std::set<NodeId> removed_;
};

}  // namespace

int quantise_weights(Model& model) {
  const auto quantises = [&](NodeId id) { return model.node(id).is("QuantizeLinear"); };
  if (model.opset() < kFirstOpset || std::none_of(model.main().nodes.begin(), model.main().nodes.end(), quantises)) {
    return 0;
  }
  return WeightQuantiser(model).run();
}

}  // namespace fluid2onnx

// Quantised convolutions before activations. Paddle quantises what the next convolution reads:
//
//   QuantizeLinear(Relu(Conv(DequantizeLinear(x), DequantizeLinear(w))), s)
//
// ONNX Runtime's integer convolution needs the result quantised directly. In the same steps, this is exact, because
// Relu and Clip are monotonic and quantising what is already in steps changes nothing:
//
//   QuantizeLinear(Relu(DequantizeLinear(QuantizeLinear(Conv(...), s), s)), s)
#include <map>
#include <optional>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

class ActivationQuantiser {
 public:
  explicit ActivationQuantiser(Model& model)
      : model_(model), counts_(model.use_counts()), outputs_(graph_outputs(model)) {
    for (const NodeId id : model.main().nodes) {
      for (const Value v : model.node(id).inputs) {
        if (v) readers_[v.id].push_back(id);
      }
    }
  }

  int run() {
    const auto nodes = model_.main().nodes;
    std::vector<NodeId> order;
    for (const NodeId id : nodes) {
      if (const auto quantize = quantize_behind(id)) insert(id, *quantize, &order);
      order.push_back(id);
    }
    const auto changes = static_cast<int>(order.size() - nodes.size());
    if (changes) model_.main().nodes = std::move(order);
    return changes;
  }

 private:
  bool produced_by(Value v, std::string_view op) const {
    const Node* producer = model_.producer(v);
    return producer && producer->is(op);
  }

  bool quantised_convolution(Value v) const {
    if (!produced_by(v, "Conv") || counts_[static_cast<size_t>(v.id)] != 1) return false;
    const Values& operands = model_.producer(v)->inputs;
    return produced_by(operands[0], "DequantizeLinear") && produced_by(operands[1], "DequantizeLinear");
  }

  /// Steps of one size from 0 on, in int8.
  bool symmetric(const Node& quantize) const {
    const auto& step = model_[quantize.inputs[1]].constant;
    if (!step || step->count() != 1 || model_.dtype(quantize.inputs[1]) != Dtype::float32) return false;
    return model_.dtype(quantize.outputs[0]) == Dtype::int8 && quantize.inputs.size() > 2 &&
           model_.constant_ints(quantize.inputs[2]) == Ints{0};
  }

  /// The QuantizeLinear that reads the activation, if a quantised convolution is before it and nothing else reads it.
  std::optional<NodeId> quantize_behind(NodeId id) const {
    const Node& node = model_.node(id);
    const bool monotonic = node.is("Relu") || node.is("Clip");
    if (!monotonic || !quantised_convolution(node.inputs[0]) || outputs_[static_cast<size_t>(node.outputs[0].id)]) {
      return std::nullopt;
    }
    const auto readers = readers_.find(node.outputs[0].id);
    if (readers == readers_.end()) return std::nullopt;
    // Equal nodes have been merged: others have another scale, or need the floats.
    if (readers->second.size() != 1 || counts_[static_cast<size_t>(node.outputs[0].id)] != 1) return std::nullopt;
    const Node& quantize = model_.node(readers->second[0]);
    return quantize.is("QuantizeLinear") && symmetric(quantize) ? std::optional(readers->second[0]) : std::nullopt;
  }

  void insert(NodeId activation, NodeId quantize, std::vector<NodeId>* order) {
    const Value x = model_.node(activation).inputs[0];
    const Values operands = model_.node(quantize).inputs;
    const onnx::TypeProto type = model_[x].type();
    onnx::TypeProto int8_type = type;
    int8_type.mutable_tensor_type()->set_elem_type(static_cast<int32_t>(Dtype::int8));
    const Value steps = model_.append("QuantizeLinear", {x, operands[1], operands[2]}, {}, int8_type);
    const Value restored = model_.append("DequantizeLinear", {steps, operands[1]}, {}, type);
    order->insert(order->end(), {model_[steps].producer, model_[restored].producer});
    model_.node(activation).inputs[0] = restored;
  }

  Model& model_;
  const std::vector<int32_t> counts_;
  const std::vector<bool> outputs_;
  std::map<int32_t, std::vector<NodeId>> readers_;
};

}  // namespace

int quantise_activations(Model& model) { return ActivationQuantiser(model).run(); }

}  // namespace fluid2onnx

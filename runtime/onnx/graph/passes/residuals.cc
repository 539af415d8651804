// Residual connections before a layer normalization, in a form that ONNX Runtime does not fuse to
// SkipLayerNormalization. Its kernel for processors takes 3.5 times as long as Add and LayerNormalization.
#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/onnx/graph/infer.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

constexpr int kRank = 3;  // ONNX Runtime fuses tensors of this rank only

class Residuals {
 public:
  explicit Residuals(Model& model) : model_(model), counts_(model.use_counts()) {}

  int run() {
    for (const GraphId g : reachable_graphs(model_)) {
      moved_.clear();
      for (const NodeId id : model_.graph(g).nodes) find(normalized(model_.node(id)), g);
      if (!moved_.empty()) reorder(g);
    }
    return changes_;
  }

 private:
  int32_t uses(Value v) const { return counts_[static_cast<size_t>(v.id)]; }

  /// The operand of a layer normalization, if nothing else reads it. Before opset 17 this is X - ReduceMean(X) ...
  Value normalized(const Node& node) const {
    if (node.is("LayerNormalization")) return uses(node.inputs[0]) == 1 ? node.inputs[0] : Value{};
    if (!node.is("Sub") || uses(node.inputs[0]) != 2) return {};
    const Node* mean = model_.producer(node.inputs[1]);
    return mean && mean->is("ReduceMean") && mean->inputs[0].id == node.inputs[0].id ? node.inputs[0] : Value{};
  }

  /// x + (product + bias), where both sums have the type of the product.
  void find(Value sum, GraphId g) {
    const Node* residual = model_.producer(sum);
    if (!residual || !residual->is("Add") || residual->graph != g || !is_fusible(sum)) return;
    for (const size_t side : {0u, 1u}) {
      const Value biased = residual->inputs[side];
      const Node* add = model_.producer(biased);
      if (!add || !add->is("Add") || add->graph != g || uses(biased) != 1) continue;
      const Node* product = model_.producer(add->inputs[0]);
      if (!product || !product->is("MatMul") || uses(add->inputs[0]) != 1 || !model_[add->inputs[1]].constant) continue;
      const onnx::TypeProto& type = model_[sum].type();
      if (!same_type(model_[add->inputs[0]].type(), type)) continue;
      if (!same_type(model_[residual->inputs[1 - side]].type(), type)) continue;
      moved_[model_[sum].producer] = {model_[biased].producer, side};
      return;
    }
  }

  bool is_fusible(Value v) const {
    const auto* shape = model_.shape(v);
    return model_.dtype(v) == Dtype::float32 && shape && shape->dim_size() == kRank && shape->dim(1).has_dim_value() &&
           shape->dim(2).has_dim_value();
  }

  /// Adds each bias last: (product + x) + bias.
  void reorder(GraphId g) {
    const GraphId before = model_.switch_to(g);
    std::vector<NodeId> nodes = std::exchange(model_.graph(g).nodes, {});
    for (const auto& [residual, first] : moved_) std::erase(nodes, first.id);
    for (const NodeId id : nodes) {
      if (const auto found = moved_.find(id); found != moved_.end()) swap_operands(id, found->second, g);
      model_.graph(g).nodes.push_back(id);
    }
    model_.switch_to(before);
  }

  struct First {
    NodeId id;
    size_t side;
  };

  void swap_operands(NodeId residual, const First& first, GraphId g) {
    Node& last = model_.node(residual);
    Node& add = model_.node(first.id);
    const Value bias = add.inputs[1];
    const Value biased = last.inputs[first.side];
    add.inputs[1] = last.inputs[1 - first.side];
    const Value sum = model_.new_value(model_[last.outputs[0]].name + "/Add");
    model_.set_type(sum, model_[biased].type());
    model_.set_result(first.id, 0, sum);
    last.inputs = {sum, bias};
    model_.graph(g).nodes.push_back(first.id);
    ++changes_;
  }

  Model& model_;
  const std::vector<int32_t> counts_;
  std::unordered_map<NodeId, First> moved_;  // by the Add of the residual connection
  int changes_ = 0;
};

}  // namespace

int add_biases_last(Model& model) { return Residuals(model).run(); }

}  // namespace fluid2onnx

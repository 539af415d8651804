#include <algorithm>

#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/schema.h"

namespace fluid2onnx {
namespace {

class Liveness {
 public:
  explicit Liveness(Model& model) : model_(model), read_(model.value_count(), false) {}

  /// Nodes from the last to the first: whatever reads a value comes before its producer. A body belongs to the place
  /// of its node, so outer values that it reads are marked in time.
  void sweep(GraphId graph) {
    for (const Value v : model_.graph(graph).outputs) mark(v);
    std::vector<NodeId> kept;
    const auto nodes = model_.graph(graph).nodes;
    for (auto id = nodes.rbegin(); id != nodes.rend(); ++id) {
      Node& node = model_.node(*id);
      const bool live = std::any_of(node.outputs.begin(), node.outputs.end(), [this](Value v) { return is_read(v); });
      if (!live) {
        ++changes_;
        continue;
      }
      drop_results(&node);
      for (const Value v : node.inputs) mark(v);
      for (const Body& body : node.bodies) sweep(body.graph);
      kept.push_back(*id);
    }
    std::reverse(kept.begin(), kept.end());
    model_.graph(graph).nodes = std::move(kept);
  }

  int changes() const { return changes_; }

 private:
  void mark(Value v) {
    if (v) read_[static_cast<size_t>(v.id)] = true;
  }
  bool is_read(Value v) const { return v && read_[static_cast<size_t>(v.id)]; }

  void drop_results(Node* node) {
    if (node->outputs.size() < 2) return;  // it is read
    // MNN's converter crashes on an LSTM without final states, which cost ONNX Runtime nothing.
    if (node->is("LSTM") || node->is("GRU") || node->is("RNN")) return;
    const Schema* schema = node->domain.empty() ? find_schema(node->op_type, model_.opset()) : nullptr;
    if (!schema) return;
    for (size_t i = 0; i < node->outputs.size(); ++i) {
      const SchemaParam* param = schema->output(i);
      if (!node->outputs[i] || is_read(node->outputs[i]) || !param || !param->optional) continue;
      node->outputs[i] = Value();
      ++changes_;
    }
    while (!node->outputs.empty() && !node->outputs.back()) node->outputs.pop_back();
  }

  Model& model_;
  std::vector<bool> read_;
  int changes_ = 0;
};

}  // namespace

int remove_dead_nodes(Model& model) {
  Liveness liveness(model);
  liveness.sweep(0);
  return liveness.changes();
}

}  // namespace fluid2onnx

// What several passes use.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/onnx/graph/graph.h"

namespace fluid2onnx {

class Replacements {
 public:
  void replace(Value from, Value to) { to_[from.id] = to; }
  bool empty() const { return to_.empty(); }
  int size() const { return static_cast<int>(to_.size()); }
  Value resolve(Value v) const;
  /// Rewrites the operands of all nodes. Outputs of graphs stay as they are.
  void apply(Model& model) const;

 private:
  std::unordered_map<int32_t, Value> to_;
};

/// All graphs that the main graph reaches, outer ones first.
std::vector<GraphId> reachable_graphs(const Model& model);
/// Removes the nodes of an operator for which `merge` returns true; returns how many.
template <class F>
int erase_merged(Model& model, std::string_view op, F merge) {
  size_t removed = 0;
  for (const GraphId g : reachable_graphs(model)) {
    removed +=
        std::erase_if(model.graph(g).nodes, [&](NodeId id) { return model.node(id).is(op) && merge(model.node(id)); });
  }
  return static_cast<int>(removed);
}

/// Which values are outputs of some graph, by id.
std::vector<bool> graph_outputs(const Model& model);

/// True if the node works on each element of its operand alone, so that the order and number of axes do not matter.
bool is_elementwise(const Node& node);

std::set<std::string, std::less<>> words(const std::string& text);

/// An attribute with as many sizes as the default. Nothing if it has more or fewer.
std::optional<Ints> sizes_attribute(const Node& node, std::string_view name, const Ints& default_value);
/// The pads of a convolution: at the start of all axes, then at their end. Nothing if they depend on the operand's
/// size.
std::optional<Ints> pads_of(const Node& conv, size_t spatial_axes);

/// A list that is an attribute, or a constant operand in newer opsets. Nothing if it is missing or not constant.
std::optional<Ints> constant_list(const Model& model, const Node& node, std::string_view name, size_t operand);

/// Sets an attribute, which becomes the last one.
void set_attribute(Node& node, const Attr& attr);

/// The type of a Transpose's operand, from the type of its result. `perm` is its attribute, with indices in range.
onnx::TypeProto type_before_transpose(const onnx::TypeProto& type, const Ints& perm);

}  // namespace fluid2onnx

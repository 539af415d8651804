// Replacements of values.
#pragma once

#include <functional>
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
/// Which values are outputs of some graph, by id.
std::vector<bool> graph_outputs(const Model& model);

}  // namespace fluid2onnx

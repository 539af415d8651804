// Which nodes read a sequence: this decides whether its array may be written in place.
#pragma once

#include <string>
#include <unordered_map>

#include "runtime/to_paddle/binder.h"

namespace fluid2onnx {

/// The node of a graph that produces a name; null if none does.
const onnx::NodeProto* producer_in(const onnx::GraphProto& graph, const std::string& name);

class SequenceUses {
 public:
  /// Both outlive it.
  SequenceUses(const OnnxBinder& binder, const Model& model) : binder_(binder), model_(model) {}

  /// The node that is converted now; null within functions.
  const onnx::NodeProto* current_node() const;
  /// The node of the open graphs that produces a name; null if none does.
  const onnx::NodeProto* producer(const std::string& name) const;
  /// True if the sequence is not read after the current node. False for those of outer graphs.
  bool is_last_use(Value sequence);
  /// True if the sequence is one operand of the current node only, and not read by its graphs.
  bool is_operand_once(Value sequence) const;
  /// Sequences from outside that the nodes of a graph read.
  Values captured(const onnx::GraphProto& graph) const;

 private:
  using LastUses = std::unordered_map<std::string, int>;  // by name: the last node that reads it
  const LastUses& last_uses(const onnx::GraphProto& graph);

  const OnnxBinder& binder_;
  const Model& model_;
  std::unordered_map<const onnx::GraphProto*, LastUses> last_uses_;
};

}  // namespace fluid2onnx

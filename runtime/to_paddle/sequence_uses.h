// Which nodes read a sequence. A sequence is a value and never changes; the array that holds it does, so this decides
// whether the array may be written in place.
#pragma once

#include <string>
#include <unordered_map>

#include "runtime/to_paddle/binder.h"

namespace fluid2onnx {

class SequenceUses {
 public:
  /// Both outlive it.
  SequenceUses(const OnnxBinder& binder, const Model& model) : binder_(binder), model_(model) {}

  /// The node that is converted now; null within functions.
  const onnx::NodeProto* current_node() const;
  /// The node that gives a name, null if none does.
  const onnx::NodeProto* giver(const std::string& name) const;
  /// True if the sequence is not read after the current node. False for those of outer graphs.
  bool is_over(Value sequence);
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

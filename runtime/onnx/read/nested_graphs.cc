#include "runtime/onnx/read/nested_graphs.h"

namespace fluid2onnx {

std::unordered_set<std::string> given_by(const onnx::GraphProto& graph) {
  std::unordered_set<std::string> names;
  for (const auto& input : graph.input()) names.insert(input.name());
  for (const auto& tensor : graph.initializer()) names.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) names.insert(tensor.values().name());
  for (const auto& node : graph.node()) names.insert(node.output().begin(), node.output().end());
  names.erase("");
  return names;
}

std::vector<std::string> reads_of(const onnx::NodeProto& node) {
  std::vector<std::string> names;
  for (const std::string& name : node.input()) {
    if (!name.empty()) names.push_back(name);
  }
  for_each_graph(node, [&](const onnx::GraphProto& graph) {
    const std::unordered_set<std::string> own = given_by(graph);
    const auto add = [&](const std::string& name) {
      if (!own.count(name)) names.push_back(name);
    };
    for (const auto& inner : graph.node()) {
      for (const std::string& name : reads_of(inner)) add(name);
    }
    for (const auto& output : graph.output()) add(output.name());
  });
  return names;
}

}  // namespace fluid2onnx

#include <algorithm>
#include <string>
#include <unordered_map>

#include "runtime/onnx/graph/node_key.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

/// True if every result that `node` gives is one of `first`, too, and no output of a graph, whose name has to stay.
bool covers(const Node& first, const Node& node, const std::vector<bool>& outputs) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const Value v = node.outputs[i];
    if (!v) continue;
    if (outputs[static_cast<size_t>(v.id)] || i >= first.outputs.size() || !first.outputs[i]) return false;
  }
  return true;
}

}  // namespace

int merge_common_subexpressions(Model& model) {
  const auto outputs = graph_outputs(model);
  Replacements replacements;
  int changes = 0;
  for (const GraphId g : reachable_graphs(model)) {
    // By their hashes; keys are made of those only that meet another with the same hash.
    std::unordered_multimap<size_t, NodeId> known;
    known.reserve(model.graph(g).nodes.size());
    for (const NodeId id : model.graph(g).nodes) {
      Node& node = model.node(id);
      for (Value& v : node.inputs) v = replacements.resolve(v);
      if (!node.domain.empty() || !node.bodies.empty() || !deterministic(node.op_type)) continue;
      const size_t hash = node_hash(node);
      const auto [begin, end] = known.equal_range(hash);
      const std::string key = begin == end ? "" : node_key(node);
      const auto same = std::find_if(begin, end, [&](const auto& k) { return node_key(model.node(k.second)) == key; });
      if (same == end) {
        known.emplace(hash, id);
        continue;
      }
      const Node& first = model.node(same->second);
      if (!covers(first, node, outputs)) continue;
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i]) replacements.replace(node.outputs[i], first.outputs[i]);
      }
      ++changes;
    }
  }
  replacements.apply(model);
  return changes;
}

}  // namespace fluid2onnx

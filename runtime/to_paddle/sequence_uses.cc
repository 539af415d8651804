// OnnxWalker: who reads a sequence by which name. Values do not change and arrays do, so this decides when one may be
// written in place.
#include <algorithm>
#include <climits>
#include <functional>

#include "runtime/to_paddle/walker.h"

namespace fluid2onnx {
namespace {

using Visit = std::function<void(const std::string& name)>;

void each_name(const onnx::GraphProto& graph, const Visit& visit);

/// What the graphs of a node read, names of their own among it.
void each_name_inside(const onnx::NodeProto& node, const Visit& visit) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) each_name(attribute.g(), visit);
    for (const auto& graph : attribute.graphs()) each_name(graph, visit);
  }
}

void each_name(const onnx::GraphProto& graph, const Visit& visit) {
  for (const auto& node : graph.node()) {
    for (const std::string& name : node.input()) visit(name);
    each_name_inside(node, visit);
  }
  for (const auto& output : graph.output()) visit(output.name());
}

}  // namespace

const onnx::NodeProto* OnnxWalker::current_node() const {
  const Level& here = levels_.back();
  return here.at < 0 ? nullptr : &here.graph->node(here.at);
}

const onnx::NodeProto* OnnxWalker::giver(const std::string& name) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (!level->scope->count(name)) continue;
    for (const auto& node : level->graph->node()) {
      if (std::find(node.output().begin(), node.output().end(), name) != node.output().end()) return &node;
    }
    return nullptr;
  }
  return nullptr;
}

bool OnnxWalker::is_over(Value sequence) {
  Level& here = levels_.back();
  const auto named = sequence_names_.find(sequence.id);
  if (here.at < 0 || named == sequence_names_.end()) return false;
  if (!here.last_uses) {
    auto& last = here.last_uses.emplace();
    for (int i = 0; i < here.graph->node_size(); ++i) {
      const onnx::NodeProto& node = here.graph->node(i);
      for (const std::string& name : node.input()) last[name] = i;
      each_name_inside(node, [&](const std::string& name) { last[name] = i; });
    }
    for (const auto& output : here.graph->output()) last[output.name()] = INT_MAX;
  }
  return std::all_of(named->second.begin(), named->second.end(), [&](const auto& one) {
    const auto last = here.last_uses->find(one.second);
    return one.first >= levels_.size() && (last == here.last_uses->end() || last->second <= here.at);
  });
}

bool OnnxWalker::is_operand_once(Value sequence) const {
  const onnx::NodeProto* node = current_node();
  const auto named = sequence_names_.find(sequence.id);
  if (!node || named == sequence_names_.end()) return false;
  int count = 0;
  bool inside = false;
  const auto is = [&](const std::string& name) {
    return std::any_of(named->second.begin(), named->second.end(), [&](const auto& one) { return one.second == name; });
  };
  for (const std::string& name : node->input()) count += is(name) ? 1 : 0;
  each_name_inside(*node, [&](const std::string& name) { inside = inside || is(name); });
  return count == 1 && !inside;
}

Values OnnxWalker::captured_sequences(const onnx::GraphProto& graph) {
  Values found;
  each_name(graph, [&](const std::string& name) {
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      const auto known = level->scope->find(name);
      if (known == level->scope->end()) continue;
      const Value v = known->second;
      if (v && builder_.model()[v].type().has_sequence_type() &&
          std::find(found.begin(), found.end(), v) == found.end())
        found.push_back(v);
      return;
    }
  });
  return found;
}

}  // namespace fluid2onnx

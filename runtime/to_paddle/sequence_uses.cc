#include "runtime/to_paddle/sequence_uses.h"

#include <algorithm>
#include <climits>
#include <functional>

#include "runtime/onnx/read/nested_graphs.h"

namespace fluid2onnx {
namespace {

using Visit = std::function<void(const std::string& name)>;

void each_name(const onnx::GraphProto& graph, const Visit& visit);

/// What the graphs of a node read, names of their own among it.
void each_name_inside(const onnx::NodeProto& node, const Visit& visit) {
  for_each_graph(node, [&](const onnx::GraphProto& graph) { each_name(graph, visit); });
}

void each_name(const onnx::GraphProto& graph, const Visit& visit) {
  for (const auto& node : graph.node()) {
    for (const std::string& name : node.input()) visit(name);
    each_name_inside(node, visit);
  }
  for (const auto& output : graph.output()) visit(output.name());
}

}  // namespace

const onnx::NodeProto* producer_in(const onnx::GraphProto& graph, const std::string& name) {
  for (const auto& node : graph.node()) {
    if (std::find(node.output().begin(), node.output().end(), name) != node.output().end()) return &node;
  }
  return nullptr;
}

const onnx::NodeProto* SequenceUses::current_node() const {
  const OnnxScope& here = binder_.scopes().back();
  return here.node < 0 ? nullptr : &here.graph->node(here.node);
}

const onnx::NodeProto* SequenceUses::producer(const std::string& name) const {
  const auto& scopes = binder_.scopes();
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (scope->values.count(name)) return producer_in(*scope->graph, name);
  }
  return nullptr;
}

const SequenceUses::LastUses& SequenceUses::last_uses(const onnx::GraphProto& graph) {
  const auto [entry, is_new] = last_uses_.try_emplace(&graph);
  LastUses& last = entry->second;
  if (!is_new) return last;
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    for (const std::string& name : node.input()) last[name] = i;
    each_name_inside(node, [&](const std::string& name) { last[name] = i; });
  }
  for (const auto& output : graph.output()) last[output.name()] = INT_MAX;
  return last;
}

bool SequenceUses::is_last_use(Value sequence) {
  const OnnxScope& here = binder_.scopes().back();
  const OnnxBinder::Names* names = binder_.sequence_names(sequence);
  if (here.node < 0 || !names) return false;
  const LastUses& uses = last_uses(*here.graph);
  return std::all_of(names->begin(), names->end(), [&](const auto& one) {
    const auto last = uses.find(one.second);
    return one.first >= binder_.depth() && (last == uses.end() || last->second <= here.node);
  });
}

bool SequenceUses::is_operand_once(Value sequence) const {
  const onnx::NodeProto* node = current_node();
  const OnnxBinder::Names* names = binder_.sequence_names(sequence);
  if (!node || !names) return false;
  int count = 0;
  bool inside = false;
  const auto is = [&](const std::string& name) {
    return std::any_of(names->begin(), names->end(), [&](const auto& one) { return one.second == name; });
  };
  for (const std::string& name : node->input()) count += is(name) ? 1 : 0;
  each_name_inside(*node, [&](const std::string& name) { inside = inside || is(name); });
  return count == 1 && !inside;
}

Values SequenceUses::captured(const onnx::GraphProto& graph) const {
  Values found;
  const auto& scopes = binder_.scopes();
  each_name(graph, [&](const std::string& name) {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
      const auto known = scope->values.find(name);
      if (known == scope->values.end()) continue;
      const Value v = known->second;
      if (v && model_[v].type().has_sequence_type() && std::find(found.begin(), found.end(), v) == found.end())
        found.push_back(v);
      return;
    }
  });
  return found;
}

}  // namespace fluid2onnx

#include "runtime/graph/passes/passes.h"

#include <string>

#include "runtime/graph/passes/replacements.h"

namespace fluid2onnx {

Value Replacements::resolve(Value v) const {
  for (auto found = to_.find(v.id); found != to_.end(); found = to_.find(v.id)) v = found->second;
  return v;
}

void Replacements::apply(Model& model) const {
  for (const GraphId g : reachable_graphs(model)) {
    for (const NodeId id : model.graph(g).nodes) {
      for (Value& v : model.node(id).inputs) v = resolve(v);
    }
  }
}

std::vector<GraphId> reachable_graphs(const Model& model) {
  std::vector<GraphId> found{0};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const NodeId id : model.graph(found[i]).nodes) {
      for (const Body& body : model.node(id).bodies) found.push_back(body.graph);
    }
  }
  return found;
}

std::vector<bool> graph_outputs(const Model& model) {
  std::vector<bool> outputs(model.value_count(), false);
  for (const GraphId g : reachable_graphs(model)) {
    for (const Value v : model.graph(g).outputs) outputs[static_cast<size_t>(v.id)] = true;
  }
  return outputs;
}

int merge_constants(Model& model) {
  constexpr uint64_t kCompared = 64 << 10;
  // By graph: a constant of one body cannot be read in another.
  std::unordered_map<std::string, Value> known;
  Replacements replacements;
  for (const GraphId g : reachable_graphs(model)) {
    for (const Value v : model.graph(g).initializers) {
      const Tensor& t = *model[v].constant;
      std::string key = std::to_string(g) + "|" + std::string(dtype_name(t.dtype()));
      for (const int64_t d : t.dims()) key += "," + std::to_string(d);
      if (const FileSlice* slice = t.slice(); slice && t.byte_size() > kCompared) {
        key += "@" + slice->file->path() + "@" + std::to_string(slice->offset);
      } else if (!t.lazy() && t.byte_size() <= kCompared) {
        const auto bytes = t.bytes();
        key.append("|").append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      } else {
        continue;
      }
      const auto [first, fresh] = known.emplace(std::move(key), v);
      if (!fresh) replacements.replace(v, first->second);
    }
  }
  replacements.apply(model);
  return replacements.size();
}

int remove_unused_constants(Model& model) {
  const auto counts = model.use_counts();
  int removed = 0;
  for (const GraphId g : reachable_graphs(model)) {
    removed += static_cast<int>(
        std::erase_if(model.graph(g).initializers, [&](Value v) { return counts[static_cast<size_t>(v.id)] == 0; }));
  }
  return removed;
}

void run_passes(Model& model, const PassOptions& options) {
  constexpr int kMostRounds = 8;  // each round only removes: a safeguard, not a limit that is met
  for (int round = 0; round < kMostRounds; ++round) {
    int changes = 0;
    if (options.identities) changes += remove_identities(model);
    if (options.transposes) changes += merge_transposes(model);
    if (options.dead_nodes) changes += remove_dead_nodes(model);
    if (changes == 0) break;
  }
  if (options.constants) {
    remove_unused_constants(model);
    if (merge_constants(model) > 0) remove_unused_constants(model);
  }
}

}  // namespace fluid2onnx

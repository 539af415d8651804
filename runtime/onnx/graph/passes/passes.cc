#include "runtime/onnx/graph/passes/passes.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/replacements.h"
#include "runtime/support/error.h"

namespace fluid2onnx {

Value Replacements::resolve(Value v) const {
  for (auto found = to_.find(v.id); found != to_.end(); found = to_.find(v.id)) v = found->second;
  return v;
}

void Replacements::apply(Model& model) const {
  if (empty()) return;
  for (const GraphId g : reachable_graphs(model)) {
    for (const NodeId id : model.graph(g).nodes) {
      for (Value& v : model.node(id).inputs) v = resolve(v);
    }
  }
}

std::set<std::string, std::less<>> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

std::optional<Ints> sizes_attribute(const Node& node, std::string_view name, const Ints& default_value) {
  const auto* attribute = find_attribute(node, name);
  if (!attribute) return default_value;
  if (attribute->ints_size() != static_cast<int>(default_value.size())) return std::nullopt;
  return Ints(attribute->ints().begin(), attribute->ints().end());
}

std::optional<Ints> pads_of(const Node& conv, size_t spatial_axes) {
  const auto* automatic = find_attribute(conv, "auto_pad");
  if (automatic && automatic->s() != "NOTSET") return std::nullopt;
  return sizes_attribute(conv, "pads", Ints(2 * spatial_axes, 0));
}

std::optional<Ints> constant_list(const Model& model, const Node& node, std::string_view name, size_t operand) {
  if (const auto* attribute = find_attribute(node, name)) {
    return Ints(attribute->ints().begin(), attribute->ints().end());
  }
  const bool given = node.inputs.size() > operand && node.inputs[operand];
  return given ? model.constant_ints(node.inputs[operand]) : std::nullopt;
}

void set_attribute(Node& node, const Attr& attr) {
  std::erase_if(node.attributes.edit(), [&](const auto& a) { return a.name() == attr.name; });
  node.attributes.push_back(to_protos({attr}).front());
}

bool is_elementwise(const Node& node) {
  static const auto* ops = new std::unordered_set<std::string_view>{
      "Abs",  "Cast",        "Ceil",       "Elu",      "Erf",      "Exp",  "Floor",
      "Gelu", "HardSigmoid", "HardSwish",  "Log",      "Mish",     "Neg",  "LeakyRelu",
      "Not",  "Relu",        "Round",      "Selu",     "Sigmoid",  "Sign", "Sqrt",
      "Tanh", "Softplus",    "Reciprocal", "Softsign", "Identity", "Celu", "ThresholdedRelu"};
  return node.domain.empty() && node.inputs.size() == 1 && node.outputs.size() == 1 && ops->count(node.op_type) != 0;
}

std::vector<GraphId> reachable_graphs(const Model& model) {
  std::vector<GraphId> found{0};
  if (model.graph_count() == 1) return found;
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

namespace {

std::optional<std::string> content_key(const Tensor& t);

/// The key of constants that are computed in the same way.
std::optional<std::string> lazy_key(const LazyTensor& lazy) {
  std::string key = lazy.op + "#" + std::to_string(lazy.result);
  for (const auto& a : to_protos(lazy.attrs)) key += "|" + a.SerializeAsString();
  for (const Tensor& input : lazy.inputs) {
    const auto part = input.dtype() == Dtype::undefined ? std::string() : content_key(input);
    if (!part) return std::nullopt;
    key += "(" + *part + ")";
  }
  return key;
}

/// What two equal constants have in common. Large ones are equal when they are the same bytes of the same file.
std::optional<std::string> content_key(const Tensor& t) {
  constexpr uint64_t kCompared = 64 << 10;
  std::string key(dtype_name(t.dtype()));
  for (const int64_t d : t.dims()) key += "," + std::to_string(d);
  if (const FileSlice* slice = t.slice(); slice && t.byte_size() > kSmallTensorBytes) {
    return key + "@" + slice->file->path() + "@" + std::to_string(slice->offset);
  }
  if (t.lazy()) {
    const auto how = lazy_key(*t.lazy());
    return how ? std::optional(key + "=" + *how) : std::nullopt;
  }
  if (t.byte_size() > kCompared) return std::nullopt;
  const auto bytes = t.bytes();
  return key.append("|").append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

int merge_constants(Model& model) {
  Replacements replacements;
  for (const GraphId g : reachable_graphs(model)) {
    // A constant of one body cannot be read in another. By the hashes of their keys, which hold all the bytes.
    std::unordered_multimap<size_t, Value> known;
    for (const Value v : model.graph(g).initializers) {
      const auto key = content_key(*model[v].constant);
      if (!key) continue;
      const size_t hash = std::hash<std::string>()(*key);
      const auto [begin, end] = known.equal_range(hash);
      const auto same =
          std::find_if(begin, end, [&](const auto& k) { return content_key(*model[k.second].constant) == key; });
      if (same == end) known.emplace(hash, v);
      else replacements.replace(v, same->second);
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

namespace {

bool has_quantised_activations(const Model& model) {
  const auto& nodes = model.main().nodes;
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) { return model.node(id).is("QuantizeLinear"); });
}

}  // namespace

void run_passes(Model& model, Fusions fusions) {
  // Each round removes nodes, lowers ranks, or moves a Squeeze away from its convolution.
  constexpr int kMostRounds = 1000;
  const bool fuse = fusions != Fusions::none;
  quantise_weights(model);
  int changes = 1;
  for (int round = 0; changes != 0; ++round) {
    if (round == kMostRounds) throw Error(E_INTERNAL, "the passes over the graph do not terminate");
    changes = remove_identities(model);
    changes += split_packed_projections(model) + merge_transposes(model) + move_squeezes(model);
    changes += merge_reshapes(model);
    changes += merge_common_subexpressions(model);
    changes += merge_slices(model);
    if (fuse) changes += fuse_biases(model);
    changes += remove_dead_nodes(model);
  }
  if (has_quantised_activations(model)) {
    if (fuse) {
      fuse_quantised_batch_norms(model);
      quantise_activations(model);
    }
    transpose_quantised_weights(model);
  }
  replace_minus_one(model);  // the pass over reshapes can merge more with -1
  if (fusions == Fusions::all) add_biases_last(model);
  if (avoid_wrong_fusions(model) != 0) remove_dead_nodes(model);
  merge_constants(model);  // before the others go: a parameter has the better name
  remove_unused_constants(model);
  share_transposed(model);
}

}  // namespace fluid2onnx

#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

/// True if every number of `from` survives a cast to `to` and back.
bool lossless(Dtype from, Dtype to) {
  const auto bits = [](Dtype d) { return static_cast<int>(dtype_size(d)) * 8; };
  const auto is_unsigned = [](Dtype d) {
    return d == Dtype::uint8 || d == Dtype::uint16 || d == Dtype::uint32 || d == Dtype::uint64;
  };
  if (from == Dtype::bool_) return is_integer(to) || is_floating(to);
  if (is_integer(from) && is_integer(to)) {
    if (is_unsigned(from)) return is_unsigned(to) ? bits(to) >= bits(from) : bits(to) > bits(from);
    return !is_unsigned(to) && bits(to) >= bits(from);
  }
  const int mantissa = to == Dtype::float64 ? 53 : to == Dtype::float32 ? 24 : 0;
  if (is_integer(from)) return bits(from) <= mantissa;
  if (from == Dtype::float16 || from == Dtype::bfloat16) return to == Dtype::float32 || to == Dtype::float64;
  return from == Dtype::float32 && to == Dtype::float64;
}

/// Sizes of tensors, or some of them. Paddle counts them in int32.
bool holds_sizes(const Model& model, Value v) {
  const Node* node = model.producer(v);
  while (node && (node->is("Gather") || node->is("Slice") || node->is("Squeeze") || node->is("Unsqueeze"))) {
    node = model.producer(node->inputs[0]);
  }
  return node && (node->is("Shape") || node->is("Size"));
}

/// True if a cast to `through` and then to `to` gives what a cast to `to` gives at once.
bool passes_through(const Model& model, Value origin, Dtype through, Dtype to) {
  const Dtype from = model.dtype(origin);
  if (from == Dtype::undefined) return false;
  if (lossless(from, through)) return true;
  // What a float beyond int32 becomes there is not defined.
  return through == Dtype::int32 && to == Dtype::int64 && (is_floating(from) || holds_sizes(model, origin));
}

/// What a node merely repeats, or nothing.
Value repeated(Model& model, Node& node) {
  if (node.op_type == "Identity") return node.inputs[0];
  if (node.op_type != "Cast") return {};
  const Value x = node.inputs[0];
  const Dtype to = model.dtype(node.outputs[0]);
  if (model.dtype(x) == to && to != Dtype::undefined) return x;
  const Node* first = model.producer(x);
  if (!first || first->op_type != "Cast" || !first->domain.empty()) return {};
  const Value origin = first->inputs[0];
  if (!passes_through(model, origin, model.dtype(x), to)) return {};
  if (model.dtype(origin) == to) return origin;
  node.inputs[0] = origin;  // the step between changes nothing
  return {};
}

}  // namespace

int remove_identities(Model& model) {
  const auto outputs = graph_outputs(model);
  Replacements replacements;
  for (const GraphId g : reachable_graphs(model)) {
    for (const NodeId id : model.graph(g).nodes) {
      Node& node = model.node(id);
      if (!node.domain.empty() || node.outputs.size() != 1 || !node.outputs[0]) continue;
      if (node.inputs.empty() || outputs[static_cast<size_t>(node.outputs[0].id)]) continue;
      node.inputs[0] = replacements.resolve(node.inputs[0]);
      if (const Value same = repeated(model, node)) replacements.replace(node.outputs[0], same);
    }
  }
  replacements.apply(model);
  return replacements.size();
}

}  // namespace fluid2onnx

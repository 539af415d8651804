#include <algorithm>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/evaluate/evaluate.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

constexpr int kFirstFlattenOfAll = 9;  // dtypes

/// Not Shape and Size, which only look at them.
bool changes_dims(const Node& node) {
  const auto* evaluator = node.domain.empty() ? evaluation::find_evaluator(node.op_type) : nullptr;
  return evaluator && evaluator->dims_only && evaluator->lazy;
}

/// True if the node gives the same whatever the dims of its operand are, as long as the elements are these.
bool any_dims_will_do(const Model& model, const Node& node) {
  if (node.op_type != "Reshape" || node.inputs.size() != 2) return false;
  const auto& shape = model[node.inputs[1]].constant;
  Ints dims;
  // 0 denotes the operand's dim, unless allowzero is set.
  return shape && shape->as_ints(&dims) && std::find(dims.begin(), dims.end(), 0) == dims.end();
}

/// Of two tensors with the same elements. Of one dim nothing needs to be known: it follows from the others. What is
/// known of the result's dims must be known of the origin's, too: inference behind it relies on that.
bool same_dims(const Model& model, Value result, Value origin) {
  const auto* x = model.shape(result);
  const auto* y = model.shape(origin);
  if (!x || !y || x->dim_size() != y->dim_size()) return false;
  int open = 0;
  bool countable = true;  // all others are numbers, and not 0
  for (int i = 0; i < x->dim_size(); ++i) {
    const auto& d = x->dim(i);
    const auto& e = y->dim(i);
    const bool numbers = d.has_dim_value() && e.has_dim_value();
    if (d.has_dim_value() && (!e.has_dim_value() || d.dim_value() != e.dim_value())) return false;
    if (numbers) {
      countable = countable && d.dim_value() > 0;
    } else if (!d.has_dim_param() || d.dim_param().empty() || d.dim_param() != e.dim_param()) {
      ++open;
    } else {
      countable = false;
    }
  }
  return open == 0 || (open == 1 && countable);
}

/// The size of -1, if it follows from known sizes beside an unchanged dynamic one; 0 otherwise.
int64_t left_beside_open(const onnx::TensorShapeProto& operand, const Ints& dims) {
  bool open = false;
  int64_t elements = 1;
  for (int i = 0; i < operand.dim_size(); ++i) {
    const auto& d = operand.dim(i);
    const bool stays = static_cast<size_t>(i) < dims.size() && dims[static_cast<size_t>(i)] == 0;
    if (stays) open = open || !d.has_dim_value() || d.dim_value() == 0;
    else if (!d.has_dim_value() || d.dim_value() <= 0) return 0;
    else if (__builtin_mul_overflow(elements, d.dim_value(), &elements)) return 0;
  }
  int64_t product = 1;
  for (const int64_t n : dims)
    if (n > 0 && __builtin_mul_overflow(product, n, &product)) return 0;
  return open && elements % product == 0 ? elements / product : 0;
}

}  // namespace

int settle_reshapes(Model& model) {
  int changes = 0;
  for (const GraphId g : reachable_graphs(model)) {
    for (const NodeId id : model.graph(g).nodes) {
      const Node& node = model.node(id);
      if (!node.is("Reshape") || node.inputs.size() != 2 || find_attribute(node, "allowzero")) continue;
      const auto& shape = model[node.inputs[1]].constant;
      const auto* operand = model.shape(node.inputs[0]);
      Ints dims;
      if (!operand || !shape || !shape->as_ints(&dims) || std::count(dims.begin(), dims.end(), -1) != 1) continue;
      const int64_t left = left_beside_open(*operand, dims);
      if (left == 0 && dims == Ints{0, -1} && model.opset() >= kFirstFlattenOfAll && operand->dim_size() > 0 &&
          !operand->dim(0).has_dim_value()) {
        Node& flatten = model.node(id);
        flatten.op_type = "Flatten";
        flatten.inputs.pop_back();
        flatten.attributes = to_protos({Attr("axis", int64_t{1})});
        ++changes;
        continue;
      }
      if (left == 0) continue;
      std::replace(dims.begin(), dims.end(), int64_t{-1}, left);
      const GraphId before = model.switch_to(g);
      const Value settled = model.add_constant(Tensor::int64s(dims));
      model.switch_to(before);
      model.node(id).inputs[1] = settled;
      ++changes;
    }
  }
  return changes;
}

int merge_reshapes(Model& model) {
  const auto outputs = graph_outputs(model);
  Replacements replacements;
  int changes = 0;
  for (const GraphId g : reachable_graphs(model)) {
    for (const NodeId id : model.graph(g).nodes) {
      Node& node = model.node(id);
      if (!changes_dims(node)) continue;
      const Value before = node.inputs[0] = replacements.resolve(node.inputs[0]);
      const Value result = node.outputs[0];
      Value origin = before;
      const auto is_back = [&] { return !outputs[static_cast<size_t>(result.id)] && same_dims(model, result, origin); };
      bool back = is_back();
      while (!back && model[origin].producer >= 0 && changes_dims(model.node(model[origin].producer))) {
        origin = replacements.resolve(model.node(model[origin].producer).inputs[0]);
        back = is_back();
      }
      if (back) {
        replacements.replace(result, origin);
        ++changes;
      } else if (!(origin == before) && any_dims_will_do(model, node)) {
        node.inputs[0] = origin;
        ++changes;
      }
    }
  }
  replacements.apply(model);
  return changes;
}

}  // namespace fluid2onnx

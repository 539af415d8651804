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
  const auto dims = model.constant_ints(node.inputs[1]);
  // 0 denotes the operand's dim, unless allowzero is set.
  return dims && std::find(dims->begin(), dims->end(), 0) == dims->end();
}

/// Of two tensors with the same elements. Of one dim nothing needs to be known: it follows from the others. What is
/// known of the result's dims must be known of the origin's, too: inference behind it relies on that.
bool same_dims(const Model& model, Value result, Value origin) {
  const auto* x = model.shape(result);
  const auto* y = model.shape(origin);
  if (!x || !y || x->dim_size() != y->dim_size()) return false;
  int unknown = 0;
  bool countable = true;  // all others are numbers, and not 0
  for (int i = 0; i < x->dim_size(); ++i) {
    const auto& d = x->dim(i);
    const auto& e = y->dim(i);
    const bool numbers = d.has_dim_value() && e.has_dim_value();
    if (d.has_dim_value() && (!e.has_dim_value() || d.dim_value() != e.dim_value())) return false;
    if (numbers) {
      countable = countable && d.dim_value() > 0;
    } else if (!d.has_dim_param() || d.dim_param().empty() || d.dim_param() != e.dim_param()) {
      ++unknown;
    } else {
      countable = false;
    }
  }
  return unknown == 0 || (unknown == 1 && countable);
}

/// The size that -1 represents, if it follows from known sizes beside an unchanged dynamic one; 0 otherwise.
int64_t size_of_minus_one(const onnx::TensorShapeProto& operand, const Ints& dims) {
  bool dynamic = false;
  int64_t elements = 1;
  for (int i = 0; i < operand.dim_size(); ++i) {
    const auto& d = operand.dim(i);
    const bool unchanged = static_cast<size_t>(i) < dims.size() && dims[static_cast<size_t>(i)] == 0;
    if (unchanged) dynamic = dynamic || !d.has_dim_value() || d.dim_value() == 0;
    else if (!d.has_dim_value() || d.dim_value() <= 0) return 0;
    else if (__builtin_mul_overflow(elements, d.dim_value(), &elements)) return 0;
  }
  int64_t product = 1;
  for (const int64_t n : dims)
    if (n > 0 && __builtin_mul_overflow(product, n, &product)) return 0;
  return dynamic && elements % product == 0 ? elements / product : 0;
}

}  // namespace

int replace_minus_one(Model& model) {
  int changes = 0;
  for (const GraphId g : reachable_graphs(model)) {
    for (const NodeId id : model.graph(g).nodes) {
      const Node& node = model.node(id);
      if (!node.is("Reshape") || node.inputs.size() != 2 || find_attribute(node, "allowzero")) continue;
      auto dims = model.constant_ints(node.inputs[1]);
      const auto* operand = model.shape(node.inputs[0]);
      if (!operand || !dims || std::count(dims->begin(), dims->end(), -1) != 1) continue;
      const int64_t size = size_of_minus_one(*operand, *dims);
      if (size == 0 && dims == Ints{0, -1} && model.opset() >= kFirstFlattenOfAll && operand->dim_size() > 0 &&
          !operand->dim(0).has_dim_value()) {
        Node& flatten = model.node(id);
        flatten.op_type = "Flatten";
        flatten.inputs.pop_back();
        flatten.attributes = to_protos({Attr("axis", int64_t{1})});
        ++changes;
        continue;
      }
      if (size == 0) continue;
      std::replace(dims->begin(), dims->end(), int64_t{-1}, size);
      const GraphId before = model.switch_to(g);
      const Value all_sizes = model.add_constant(Tensor::int64s(*dims));
      model.switch_to(before);
      model.node(id).inputs[1] = all_sizes;
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
      for (const Node* above = model.producer(origin); !back && above && changes_dims(*above);
           above = model.producer(origin)) {
        origin = replacements.resolve(above->inputs[0]);
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

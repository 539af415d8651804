#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

Ints permutation(const Model& model, const Node& node) {
  if (const auto* a = find_attribute(node, "perm")) return Ints(a->ints().begin(), a->ints().end());
  Ints reversed;
  if (const auto* shape = model.shape(node.inputs[0])) {
    for (int i = shape->dim_size(); i-- > 0;) reversed.push_back(i);
  }
  return reversed;
}

}  // namespace

onnx::TypeProto type_before_transpose(const onnx::TypeProto& type, const Ints& perm) {
  onnx::TypeProto result = type;
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return result;
  const auto& shape = type.tensor_type().shape();
  for (int i = 0; i < shape.dim_size() && i < static_cast<int>(perm.size()); ++i) {
    *result.mutable_tensor_type()->mutable_shape()->mutable_dim(static_cast<int>(perm[static_cast<size_t>(i)])) =
        shape.dim(i);
  }
  return result;
}

int merge_transposes(Model& model) {
  auto counts = model.use_counts();
  const auto outputs = graph_outputs(model);
  Replacements replacements;
  int changes = 0;
  for (const GraphId g : reachable_graphs(model)) {
    for (const NodeId id : model.graph(g).nodes) {
      Node& second = model.node(id);
      if (!second.is("Transpose")) continue;
      second.inputs[0] = replacements.resolve(second.inputs[0]);
      // Upwards through element-wise nodes that only this path reads.
      std::vector<NodeId> between;
      Value at = second.inputs[0];
      NodeId above = model[at].producer;
      while (above >= 0 && model.node(above).graph == g && is_elementwise(model.node(above)) &&
             counts[static_cast<size_t>(at.id)] == 1 && !outputs[static_cast<size_t>(at.id)]) {
        between.push_back(above);
        at = model.node(above).inputs[0];
        above = model[at].producer;
      }
      if (above < 0 || !model.node(above).is("Transpose")) continue;
      const Node& first = model.node(above);
      const Ints p = permutation(model, first);
      const Ints q = permutation(model, second);
      if (p.empty() || p.size() != q.size()) continue;
      // Moving a Transpose that others read past a node would add one.
      if (!between.empty() && counts[static_cast<size_t>(at.id)] != 1) continue;

      Ints both;
      bool identity = true;
      for (size_t i = 0; i < q.size(); ++i) {
        both.push_back(p[static_cast<size_t>(q[i])]);
        identity = identity && both.back() == static_cast<int64_t>(i);
      }
      const bool is_output = outputs[static_cast<size_t>(second.outputs[0].id)];
      if (identity && is_output) continue;  // the name of the output has to come from somewhere
      const Value origin = first.inputs[0];
      --counts[static_cast<size_t>(at.id)];
      ++counts[static_cast<size_t>(origin.id)];
      if (between.empty()) {
        second.inputs[0] = origin;
      } else {
        model.node(between.back()).inputs[0] = origin;
        for (const NodeId n : between) {
          const Value v = model.node(n).outputs[0];
          model.set_type(v, type_before_transpose(model[v].type(), p));
        }
      }
      ++changes;
      if (identity) replacements.replace(second.outputs[0], second.inputs[0]);
      else second.attributes = to_protos({Attr("perm", both)});
    }
  }
  replacements.apply(model);
  return changes;
}

}  // namespace fluid2onnx

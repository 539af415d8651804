// Queries, keys and values of attention that one product computes. Paddle's models separate them in a tensor of rank 5:
//
//   Gather(Transpose(Reshape(x, [B, N, 3, H, D]), perm=[2, 0, 3, 1, 4]), i, axis=0)
//
// or with the 3 at another position of perm, and that axis in Gather. Split and tensors of rank 4 give the same
// results. ncnn runs only these, and ONNX Runtime is not slower:
//
//   Transpose(Reshape(Split(x, axis=-1)[i], [B, N, H, D]), perm=[0, 2, 1, 3])
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

constexpr int kSplitHasOperand = 13;  // before this opset, the sizes are an attribute

struct Packed {
  NodeId reshape;
  std::vector<NodeId> gathers;
  Ints indices;  // of `gathers`
  Ints dims;     // the shape operand of the Reshape
  Ints perm;
  size_t axis = 0;    // the packed axis of `dims`
  int64_t width = 0;  // the size of one part in the last axis of x
};

class PackedProjections {
 public:
  explicit PackedProjections(Model& model)
      : model_(model), counts_(model.use_counts()), outputs_(graph_outputs(model)) {}

  int run() {
    int changes = 0;
    for (const GraphId g : reachable_graphs(model_)) {
      std::unordered_map<int32_t, std::vector<NodeId>> gathers;  // by their data operand
      for (const NodeId id : model_.graph(g).nodes) {
        const Node& node = model_.node(id);
        if (node.is("Gather")) gathers[node.inputs[0].id].push_back(id);
      }
      std::unordered_map<NodeId, Packed> found;  // by the Transpose
      for (const NodeId id : model_.graph(g).nodes) {
        const Node& node = model_.node(id);
        if (!node.is("Transpose")) continue;
        const auto users = gathers.find(node.outputs[0].id);
        if (users == gathers.end()) continue;
        if (auto packed = match(node, users->second)) found.emplace(id, std::move(*packed));
      }
      changes += static_cast<int>(found.size());
      if (!found.empty()) rewrite(g, found);
    }
    return changes;
  }

 private:
  bool is_read_only_by(Value v, size_t readers) const {
    return static_cast<size_t>(counts_[static_cast<size_t>(v.id)]) == readers && !outputs_[static_cast<size_t>(v.id)];
  }

  std::optional<Packed> match(const Node& transpose, const std::vector<NodeId>& gathers) const {
    Packed result;
    result.reshape = model_[transpose.inputs[0]].producer;
    result.gathers = gathers;
    const auto* perm = find_attribute(transpose, "perm");
    if (!perm || result.reshape < 0 || !is_read_only_by(transpose.outputs[0], gathers.size())) return std::nullopt;
    result.perm.assign(perm->ints().begin(), perm->ints().end());
    const Node& reshape = model_.node(result.reshape);
    if (!reshape.is("Reshape") || reshape.graph != transpose.graph || find_attribute(reshape, "allowzero") ||
        !is_read_only_by(reshape.outputs[0], 1)) {
      return std::nullopt;
    }
    result.dims = model_.constant_ints(reshape.inputs[1]).value_or(Ints());
    if (result.dims.size() != result.perm.size()) return std::nullopt;
    const std::optional<size_t> selected = common_axis(gathers, result.perm.size());
    if (!selected) return std::nullopt;
    result.axis = static_cast<size_t>(result.perm[*selected]);
    if (!is_split_of_last_axis(reshape.inputs[0], result)) return std::nullopt;
    for (const NodeId id : gathers) {
      const Value selected_part = model_.node(id).inputs[1];
      const auto index = model_.constant_ints(selected_part);
      if (!index || model_[selected_part].constant->rank() != 0) return std::nullopt;
      const int64_t parts = result.dims[result.axis];
      result.indices.push_back(index->front() < 0 ? index->front() + parts : index->front());
      if (result.indices.back() < 0 || result.indices.back() >= parts) return std::nullopt;
    }
    return uses_each_part(result) ? std::optional(std::move(result)) : std::nullopt;
  }

  /// The axis along which all Gathers select; nothing if they differ.
  std::optional<size_t> common_axis(const std::vector<NodeId>& gathers, size_t rank) const {
    std::optional<int64_t> common;
    for (const NodeId id : gathers) {
      int64_t axis = int_attribute(model_.node(id), "axis", 0);
      if (axis < 0) axis += static_cast<int64_t>(rank);
      if (axis < 0 || axis >= static_cast<int64_t>(rank) || axis != common.value_or(axis)) return std::nullopt;
      common = axis;
    }
    return static_cast<size_t>(*common);
  }

  /// True if the packed axis and those behind it are the last axis of x. Sets the width.
  bool is_split_of_last_axis(Value x, Packed& packed) const {
    const auto* shape = model_.shape(x);
    const auto rank = shape ? static_cast<size_t>(shape->dim_size()) : 0;
    if (rank == 0 || packed.axis == 0 || packed.axis + 1 == packed.dims.size()) return false;
    // 0 copies the dim of x at the same position.
    for (size_t i = rank - 1; i < packed.axis; ++i) {
      if (packed.dims[i] == 0) return false;
    }
    int64_t product = 1;
    for (size_t i = packed.axis; i < packed.dims.size(); ++i) {
      if (packed.dims[i] <= 0 || __builtin_mul_overflow(product, packed.dims[i], &product)) return false;
    }
    packed.width = product / packed.dims[packed.axis];
    const auto& last = shape->dim(static_cast<int>(rank) - 1);
    return last.has_dim_value() && last.dim_value() == product;
  }

  static bool uses_each_part(const Packed& packed) {
    const std::unordered_set<int64_t> parts(packed.indices.begin(), packed.indices.end());
    return static_cast<int64_t>(parts.size()) == packed.dims[packed.axis];
  }

  void rewrite(GraphId g, const std::unordered_map<NodeId, Packed>& found) {
    const GraphId before = model_.switch_to(g);
    std::vector<NodeId> nodes = std::exchange(model_.graph(g).nodes, {});
    std::unordered_set<NodeId> removed;
    for (const auto& [transpose, packed] : found) {
      removed.insert(packed.reshape);
      removed.insert(packed.gathers.begin(), packed.gathers.end());
    }
    for (const NodeId id : nodes) {
      if (const auto packed = found.find(id); packed != found.end()) add_parts(packed->second);
      else if (removed.count(id) == 0) model_.graph(g).nodes.push_back(id);
    }
    model_.switch_to(before);
  }

  void add_parts(const Packed& packed) {
    const Value x = model_.node(packed.reshape).inputs[0];
    const Values parts = split(x, packed);
    Ints dims = packed.dims;
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(packed.axis));
    Ints perm;
    for (const int64_t from : packed.perm) {
      const auto axis = static_cast<int64_t>(packed.axis);
      if (from != axis) perm.push_back(from - (from > axis ? 1 : 0));
    }
    const Value shape = model_.add_constant(Tensor::int64s(dims));
    for (size_t i = 0; i < packed.gathers.size(); ++i) {
      const Value result = model_.node(packed.gathers[i]).outputs[0];
      const Value reshaped = model_.new_value(model_[result].name + "/Reshape");
      model_.append("Reshape", {parts[static_cast<size_t>(packed.indices[i])], shape}, {},
                    type_before_transpose(model_[result].type(), perm), reshaped);
      model_.append("Transpose", {reshaped}, {Attr("perm", perm)}, model_[result].type(), result);
    }
  }

  Values split(Value x, const Packed& packed) {
    const int last = model_.shape(x)->dim_size() - 1;
    const Ints sizes(static_cast<size_t>(packed.dims[packed.axis]), packed.width);
    Node node{"Split", "", {x}, {}, {}, {}, 0};
    Attrs attributes{Attr("axis", int64_t{last})};
    if (model_.opset() < kSplitHasOperand) attributes.push_back(Attr("split", sizes));
    else node.inputs.push_back(model_.add_constant(Tensor::int64s(sizes)));
    node.attributes = to_protos(attributes);
    onnx::TypeProto type = model_[x].type();
    type.mutable_tensor_type()->mutable_shape()->mutable_dim(last)->set_dim_value(packed.width);
    for (size_t i = 0; i < sizes.size(); ++i) {
      node.outputs.push_back(model_.new_value(model_[x].name + "/Split"));
      model_.set_type(node.outputs.back(), type);
    }
    Values parts = node.outputs;
    model_.add_node(std::move(node));
    return parts;
  }

  Model& model_;
  const std::vector<int32_t> counts_;
  const std::vector<bool> outputs_;
};

}  // namespace

int split_packed_projections(Model& model) { return PackedProjections(model).run(); }

}  // namespace fluid2onnx

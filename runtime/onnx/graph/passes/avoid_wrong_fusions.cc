// Rewrites valid graphs that ONNX Runtime's optimiser breaks. tests/onnxruntime has a model of each, by the names
// below, and reports when one is no longer needed.
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"
#include "runtime/onnx/graph/sign.h"

namespace fluid2onnx {
namespace {

constexpr int kFirstPadWithInputs = 11;
constexpr int kFirstSqueezeWithInputs = 13;
constexpr int kMaxTransposes = 32;  // how many operations back a transposed operand is followed

Ints list_attribute(const Node& node, std::string_view name) {
  const auto* a = find_attribute(node, name);
  return a ? Ints(a->ints().begin(), a->ints().end()) : Ints();
}

class FusionGuard {
 public:
  explicit FusionGuard(Model& model) : model_(model), counts_(model.use_counts()) {}

  int run() {
    for (const GraphId g : reachable_graphs(model_)) {
      const GraphId before = model_.switch_to(g);
      const std::vector<NodeId> nodes = std::exchange(model_.graph(g).nodes, {});
      for (const NodeId id : nodes) rewrite(id);
      model_.switch_to(before);
    }
    return changes_;
  }

 private:
  void rewrite(NodeId id) {
    const Node& node = model_.node(id);
    const bool pool = node.is("MaxPool") || node.is("AveragePool");
    if (pool && behind_pad(node)) {
      pool_behind_pad(id);
    } else if (node.is("MatMul")) {
      for (size_t operand = 0; operand < 2; ++operand)
        if (const Node* cast = cast_of_moved_stack(node, operand)) cast_first(id, operand, *cast);
      for (size_t operand = 0; operand < 2; ++operand)
        if (is_moved_half(node, operand)) return one_stack(id, operand);
      if (transposed_by_vector(node)) return unsqueeze_vector(id);
    } else if (node.is("Gather") && range_is_no_slice(node)) {
      keep_range(id);
    }
    append(id);
  }

  void append(NodeId id) { model_.graph(model_.current()).nodes.push_back(id); }

  int rank(Value v) const {
    const auto* shape = model_.shape(v);
    return shape ? shape->dim_size() : -1;
  }

  // -- max_pool_behind_pad, average_pool_behind_large_pad ------------------------------------------------
  /// Zeros are padded in front of a pool, perhaps with a Cast between.
  bool behind_pad(const Node& pool) const {
    if (find_attribute(pool, "auto_pad")) return false;
    // Indices count elements of the padded operand, and ONNX Runtime does not change a pool that outputs them.
    if (pool.outputs.size() > 1 && pool.outputs[1]) return false;
    const Node* above = model_.producer(pool.inputs[0]);
    if (above && above->is("Cast")) above = model_.producer(above->inputs[0]);
    if (!above || !above->is("Pad")) return false;
    const auto* mode = find_attribute(*above, "mode");
    if (mode && mode->s() != "constant") return false;
    return !pool.is("AveragePool") || !fits_window(pool, *above);
  }

  /// True if the padding of both together is known, and smaller than the pool's window on all sides.
  bool fits_window(const Node& pool, const Node& pad) const {
    const auto before = constant_list(model_, pad, "pads", 1);
    if (!before) return false;
    const Ints window = list_attribute(pool, "kernel_shape");
    const Ints own = list_attribute(pool, "pads");
    const size_t axes = window.size();
    if (before->size() != 2 * (axes + 2) || (!own.empty() && own.size() != 2 * axes)) return false;
    for (size_t i = 0; i < 2 * axes; ++i) {
      const size_t end = i / axes;  // 0: in front of the axis, 1: behind it
      const int64_t all = (*before)[i + 2 * (end + 1)] + (own.empty() ? 0 : own[i]);
      if (all >= window[i % axes]) return false;
    }
    return true;
  }

  /// A VALID pool is unchanged. Its own padding is padded in front of it.
  void pool_behind_pad(NodeId id) {
    const Ints pads = list_attribute(model_.node(id), "pads");
    if (std::any_of(pads.begin(), pads.end(), [](int64_t p) { return p != 0; })) {
      // A mean without the padding is left alone by ONNX Runtime, too.
      if (model_.node(id).is("AveragePool") && int_attribute(model_.node(id), "count_include_pad", 0) == 0) return;
      const Value x = model_.node(id).inputs[0];
      const bool largest = model_.node(id).is("MaxPool");
      const float fill = largest ? -std::numeric_limits<float>::infinity() : 0.0f;
      if (model_.dtype(x) != Dtype::float32 && model_.dtype(x) != Dtype::float64) return;
      Ints all{0, 0};
      const auto half = static_cast<std::ptrdiff_t>(pads.size() / 2);
      all.insert(all.end(), pads.begin(), pads.begin() + half);
      all.insert(all.end(), {0, 0});
      all.insert(all.end(), pads.begin() + half, pads.end());
      onnx::TypeProto type = tensor_type(model_.dtype(x));
      if (const auto* shape = model_.shape(x)) {
        *type.mutable_tensor_type()->mutable_shape() = *shape;
        for (int i = 2; i < shape->dim_size(); ++i) {
          auto* dim = type.mutable_tensor_type()->mutable_shape()->mutable_dim(i);
          const auto at = static_cast<size_t>(i);
          if (!dim->has_dim_value()) dim->clear_dim_param();
          else dim->set_dim_value(dim->dim_value() + all[at] + all[at + all.size() / 2]);
        }
      }
      const Tensor number = model_.dtype(x) == Dtype::float32
                                ? Tensor::of(Dtype::float32, {}, std::vector<float>{fill})
                                : Tensor::of(Dtype::float64, {}, std::vector<double>{fill});
      const Value padded =
          model_.opset() < kFirstPadWithInputs
              ? model_.append("Pad", {x}, {Attr("pads", all), Attr("value", static_cast<double>(fill))}, type)
              : model_.append("Pad", {x, model_.add_constant(Tensor::int64s(all)), model_.add_constant(number)}, {},
                              type);
      model_.node(id).inputs[0] = padded;
    }
    std::erase_if(model_.node(id).attributes.edit(), [](const auto& a) { return a.name() == "pads"; });
    set_attribute(model_.node(id), Attr("auto_pad", std::string("VALID")));
    ++changes_;
  }

  // -- transposed_by_vector ------------------------------------------------------------------------------
  /// The last two axes of the left operand are swapped, possibly with a Cast or a factor between.
  bool transposed_by_vector(const Node& product) const {
    if (rank(product.inputs[1]) != 1 || rank(product.inputs[0]) < 2) return false;
    Value at = product.inputs[0];
    for (int i = 0; i < kMaxTransposes; ++i) {
      const Node* above = model_.producer(at);
      if (!above) return false;
      if (above->is("Transpose")) {
        const Ints perm = list_attribute(*above, "perm");
        Ints matrices(perm.size());
        std::iota(matrices.begin(), matrices.end(), 0);
        if (matrices.size() >= 2) std::swap(matrices[matrices.size() - 2], matrices[matrices.size() - 1]);
        return matrices.size() >= 2 && perm == matrices;
      }
      if (above->is("Mul") && rank(above->inputs[0]) <= 0) at = above->inputs[1];
      else if (above->is("Cast") || above->is("Mul") || above->is("Div")) at = above->inputs[0];
      else return false;
    }
    return false;
  }

  /// The vector becomes a matrix of one column.
  void unsqueeze_vector(NodeId id) {
    const Node& node = model_.node(id);
    unsqueeze(id, 1, rank(node.inputs[1]), rank(node.inputs[0]) - 1);
  }

  // -- cast_of_transposed_by_matrix ----------------------------------------------------------------------
  /// The first axis has become that of the rows or of the columns of matrices.
  static bool moves_first_to_matrices(const Node& node) {
    if (!node.is("Transpose")) return false;
    const Ints perm = list_attribute(node, "perm");
    if (perm.size() < 3) return false;
    Ints to_rows(perm.size());
    std::iota(to_rows.begin(), to_rows.end(), 0);
    Ints to_columns = to_rows;
    std::rotate(to_rows.begin(), to_rows.begin() + 1, to_rows.end() - 1);
    std::rotate(to_columns.begin(), to_columns.begin() + 1, to_columns.end());
    return perm == to_rows || perm == to_columns;
  }

  bool of_other_rank(const Node& product, size_t operand) const {
    const int own = rank(product.inputs[operand]);
    const int other = rank(product.inputs[1 - operand]);
    return own >= 0 && other >= 0 && own != other;
  }

  /// The Cast between such a Transpose and a product with an operand of other rank.
  const Node* cast_of_moved_stack(const Node& product, size_t operand) const {
    const Value x = product.inputs[operand];
    const Node* cast = model_.producer(x);
    if (!cast || !cast->is("Cast") || !of_other_rank(product, operand)) return nullptr;
    const Node* above = model_.producer(cast->inputs[0]);
    return above && moves_first_to_matrices(*above) ? cast : nullptr;
  }

  /// Casts the transposed value instead of the original.
  void cast_first(NodeId id, size_t operand, const Node& cast) {
    const Node& transpose = *model_.producer(cast.inputs[0]);
    const Attrs to{Attr("to", find_attribute(cast, "to")->i())};
    const Attrs perm{Attr("perm", list_attribute(transpose, "perm"))};
    const Value result = model_.node(id).inputs[operand];
    onnx::TypeProto type = model_[transpose.inputs[0]].type();
    type.mutable_tensor_type()->set_elem_type(static_cast<int>(model_.dtype(result)));
    const Value wanted = model_.append("Cast", {transpose.inputs[0]}, to, type);
    const Value turned = model_.append("Transpose", {wanted}, perm, model_[result].type());
    model_.node(id).inputs[operand] = turned;
    ++changes_;
  }

  // -- half_transposed_by_matrix -------------------------------------------------------------------------
  /// The same in float16, for which ONNX Runtime itself puts a Cast there.
  bool is_moved_half(const Node& product, size_t operand) const {
    const Value x = product.inputs[operand];
    if (model_.dtype(x) != Dtype::float16 || !of_other_rank(product, operand)) return false;
    const Node* above = model_.producer(x);
    return above && moves_first_to_matrices(*above);
  }

  /// All matrices become a stack of one such tensor.
  void one_stack(NodeId id, size_t operand) {
    const Values operands = model_.node(id).inputs;
    if (rank(operands[operand]) > rank(operands[1 - operand])) return unsqueeze(id, operand, 0, 0);
    unsqueeze_operand(id, operand, 0);  // the result has the other's axes
    append(id);
  }

  /// Gives an operand of a product one more axis, which the result loses again.
  void unsqueeze(NodeId id, size_t operand, int64_t axis, int64_t result_axis) {
    unsqueeze_operand(id, operand, axis);
    const Value result = model_.node(id).outputs[0];
    const Value made = model_.new_value(model_[result].name + "/MatMul");
    model_.set_type(made, with_axis(model_[result].type(), result_axis));
    model_.set_result(id, 0, made);
    append(id);
    model_.append("Squeeze", with_axes(made, result_axis), axes_attribute(result_axis), model_[result].type(), result);
  }

  void unsqueeze_operand(NodeId id, size_t operand, int64_t axis) {
    const Value narrow = model_.node(id).inputs[operand];
    const onnx::TypeProto type = with_axis(model_[narrow].type(), axis);
    const Value wide = model_.append("Unsqueeze", with_axes(narrow, axis), axes_attribute(axis), type);
    model_.node(id).inputs[operand] = wide;
    ++changes_;
  }

  Values with_axes(Value x, int64_t axis) {
    return model_.opset() < kFirstSqueezeWithInputs ? Values{x}
                                                    : Values{x, model_.add_constant(Tensor::int64s({axis}))};
  }

  Attrs axes_attribute(int64_t axis) const {
    return model_.opset() < kFirstSqueezeWithInputs ? Attrs{Attr("axes", Ints{axis})} : Attrs{};
  }

  /// A type with one more axis, of size 1.
  static onnx::TypeProto with_axis(onnx::TypeProto type, int64_t axis) {
    if (!type.tensor_type().has_shape()) return type;
    auto* dims = type.mutable_tensor_type()->mutable_shape()->mutable_dim();
    dims->Add()->set_dim_value(1);
    for (int at = dims->size() - 1; at > axis; --at) dims->SwapElements(at, at - 1);
    return type;
  }

  // -- gather_of_range -----------------------------------------------------------------------------------
  /// The indices come from an otherwise unused Range. A Slice with the same bounds can differ, because its negative
  /// bounds count from the end.
  bool range_is_no_slice(const Node& gather) const {
    const Value places = gather.inputs[1];
    const Node* range = model_.producer(places);
    return range && range->is("Range") && counts_[static_cast<size_t>(places.id)] == 1 &&
           !(never_negative(model_, range->inputs[0]) && never_negative(model_, range->inputs[1]));
  }

  /// Behind a Cast a Range stays one.
  void keep_range(NodeId id) {
    const Value places = model_.node(id).inputs[1];
    const Dtype other = model_.dtype(places) == Dtype::int32 ? Dtype::int64 : Dtype::int32;
    onnx::TypeProto type = model_[places].type();
    type.mutable_tensor_type()->set_elem_type(static_cast<int>(other));
    const Value cast = model_.append("Cast", {places}, {Attr("to", static_cast<int64_t>(other))}, type);
    model_.node(id).inputs[1] = cast;
    ++changes_;
  }

  Model& model_;
  const std::vector<int32_t> counts_;
  int changes_ = 0;
};

}  // namespace

int avoid_wrong_fusions(Model& model) { return FusionGuard(model).run(); }

}  // namespace fluid2onnx

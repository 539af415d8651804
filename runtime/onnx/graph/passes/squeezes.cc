// A convolution or pooling of sequences is one of images between Unsqueeze and Squeeze. Runtimes merge a
// BatchNormalization or an activation only if it follows the convolution directly. So the Squeeze moves behind the
// nodes that work on each element or channel, up to an Unsqueeze that reverts it.
#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/batch_norm.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"
#include "runtime/support/has_item.h"

namespace fluid2onnx {
namespace {

using Operators = std::unordered_set<std::string_view>;

bool is_one_of(const Node& node, const Operators& ops) { return node.domain.empty() && ops.count(node.op_type) != 0; }

/// Convolutions and poolings, whose results Paddle squeezes to sequences.
bool is_conv_or_pool(const Node& node) {
  static const auto* ops =
      new Operators{"Conv", "ConvTranspose", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool"};
  return is_one_of(node, *ops);
}

bool is_broadcasting(const Node& node) {
  static const auto* ops = new Operators{"Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu", "Pow"};
  return is_one_of(node, *ops);
}

/// A Squeeze can move behind it, if without_squeeze accepts its operands and axes.
bool may_follow(const Node& node) {
  static const auto* ops = new Operators{"BatchNormalization", "Clip", "Concat", "Pad", "Slice", "Split"};
  return is_elementwise(node) || is_broadcasting(node) || is_one_of(node, *ops);
}

class Squeezes {
 public:
  explicit Squeezes(Model& model) : model_(model), counts_(model.use_counts()), outputs_(graph_outputs(model)) {}

  int run() {
    for (const GraphId g : reachable_graphs(model_)) visit(g);
    replacements_.apply(model_);
    return changes_;
  }

 private:
  struct Squeezed {
    Value origin;
    Ints axes;  // increasing, of the origin
    NodeId node;
  };

  void visit(GraphId g) {
    squeezed_.clear();
    find_readers(g);
    if (squeezes_.empty()) return;
    const GraphId before = model_.switch_to(g);
    for (const NodeId id : std::exchange(model_.graph(g).nodes, {})) {
      const Node& node = model_.node(id);
      if (node.is("Conv") || node.is("ConvTranspose")) swap_spatial_axes(id);
      model_.graph(g).nodes.push_back(id);
      if (node.is("Squeeze") && !narrow_pad(id)) remember(id);
      else if (node.is("Unsqueeze")) revert(node);
      else if (may_follow(node)) move_behind(id);
    }
    model_.switch_to(before);
  }

  void find_readers(GraphId g) {
    followers_.clear();
    squeezes_.clear();
    for (const NodeId id : model_.graph(g).nodes) {
      const Node& node = model_.node(id);
      if (node.is("Squeeze")) squeezes_[node.inputs[0].id].push_back(id);
      if (!may_follow(node) && !node.is("Unsqueeze")) continue;
      for (const Value v : node.inputs) ++followers_[v.id];
    }
  }

  int32_t uses(Value v) const { return counts_[static_cast<size_t>(v.id)]; }
  bool is_output(Value v) const {
    const auto i = static_cast<size_t>(v.id);
    return i < outputs_.size() && outputs_[i];  // the pass itself adds values
  }

  /// Paddle's Conv1D has a height of 1, but its Conv1DTranspose a width of 1. Both get the height, so that a Squeeze
  /// can move from one to the other.
  void swap_spatial_axes(NodeId id) {
    constexpr int kImageRank = 4;
    constexpr int64_t kHeight = 2, kWidth = 3;
    Node& conv = model_.node(id);
    const Value x = conv.inputs[0], result = conv.outputs[0];
    const Node* unsqueeze = model_.producer(x);
    const auto& filter = model_[conv.inputs[1]].constant;
    if (!unsqueeze || !unsqueeze->is("Unsqueeze") || !filter || filter->rank() != kImageRank ||
        filter->dims()[kWidth] != 1)
      return;
    if (!model_.shape(x) || !model_.shape(result) || axes_of(*unsqueeze, kImageRank) != Ints{kWidth}) return;
    const std::vector<NodeId>& readers = squeezes_[result.id];
    if (readers.empty() || static_cast<int32_t>(readers.size()) != uses(result)) return;
    for (const NodeId reader : readers) {
      if (axes_of(model_.node(reader), kImageRank) != Ints{kWidth}) return;
    }
    const Ints turned{0, 1, kWidth, kHeight};
    Node above = *unsqueeze;
    above.outputs = {model_.new_value(model_[x].name)};
    model_.set_type(above.outputs[0], type_before_transpose(model_[x].type(), turned));
    set_list(above, "axes", 1, {kHeight});
    conv.inputs[0] = above.outputs[0];
    conv.inputs[1] =
        model_.add_constant(filter->reshaped({filter->dims()[0], filter->dims()[1], 1, filter->dims()[kHeight]}),
                            model_[conv.inputs[1]].name);
    for (auto& attribute : conv.attributes.edit()) {  // strides, pads ...: one or two values for each axis
      auto& list = *attribute.mutable_ints();
      for (int i = 0; i + 1 < list.size(); i += 2) list.SwapElements(i, i + 1);
    }
    model_.set_type(result, type_before_transpose(model_[result].type(), turned));
    for (const NodeId reader : readers) set_list(model_.node(reader), "axes", 1, {kHeight});
    revert(model_.node(model_.add_node(std::move(above))));
    ++changes_;
  }

  /// The constant axes of a Squeeze or Unsqueeze in a tensor of this rank.
  std::optional<Ints> axes_of(const Node& node, int rank) const {
    auto axes = constant_list(model_, node, "axes", 1);
    if (!axes || axes->empty()) return std::nullopt;
    for (int64_t& axis : *axes) axis += axis < 0 ? rank : 0;
    std::sort(axes->begin(), axes->end());
    return axes;
  }

  /// Paddle pads a sequence as a volume, between Unsqueeze and Squeeze. Here it becomes a Pad of the sequence.
  bool narrow_pad(NodeId id) {
    Node& squeeze = model_.node(id);
    const Value wide = squeeze.inputs[0], result = squeeze.outputs[0];
    const Node* pad = model_.producer(wide);
    const Node* unsqueeze = pad && pad->is("Pad") ? model_.producer(pad->inputs[0]) : nullptr;
    const auto* shape = model_.shape(wide);
    if (!unsqueeze || !unsqueeze->is("Unsqueeze") || !shape || pad->graph != squeeze.graph || uses(wide) != 1)
      return false;
    const auto rank = static_cast<size_t>(shape->dim_size());
    const auto axes = axes_of(squeeze, shape->dim_size());
    auto pads = constant_list(model_, *pad, "pads", kPads);
    if (!axes || axes_of(*unsqueeze, shape->dim_size()) != axes || has_axes(*pad)) return false;
    if (!pads || pads->size() != 2 * rank) return false;
    Ints narrow;
    for (size_t i = 0; i < pads->size(); ++i) {
      if (!has_item(*axes, static_cast<int64_t>(i % rank))) narrow.push_back((*pads)[i]);
      else if ((*pads)[i] != 0) return false;
    }
    Node sequence = *pad;
    sequence.inputs[0] = replacements_.resolve(unsqueeze->inputs[0]);
    set_list(sequence, "pads", kPads, narrow);
    sequence.outputs = {result};
    model_.node(id) = std::move(sequence);
    ++changes_;
    return true;
  }

  void remember(NodeId id) {
    const Node& node = model_.node(id);
    const Value x = node.inputs[0], result = node.outputs[0];
    const Node* above = model_.producer(x);
    const auto* shape = model_.shape(x);
    if (!above || !shape || !is_conv_or_pool(*above) || above->graph != node.graph) return;
    if (auto axes = axes_of(node, shape->dim_size())) squeezed_[result.id] = {x, std::move(*axes), id};
  }

  void revert(const Node& node) {
    const auto found = squeezed_.find(node.inputs[0].id);
    const Value result = node.outputs[0];
    const auto* shape = model_.shape(result);
    if (found == squeezed_.end() || !shape || is_output(result)) return;
    if (axes_of(node, shape->dim_size()) != found->second.axes) return;
    replacements_.replace(result, found->second.origin);
    ++changes_;
  }

  /// The Squeeze that computes a value. Null if another node reads the value: then the Squeeze would stay beside the
  /// moved ones.
  const Squeezed* movable(Value v) {
    const auto found = squeezed_.find(v.id);
    return found != squeezed_.end() && followers_[v.id] == uses(v) ? &found->second : nullptr;
  }

  void move_behind(NodeId id) {
    const Squeezed* squeezed = nullptr;
    for (const Value v : model_.node(id).inputs) {
      const Squeezed* found = movable(v);
      if (found && squeezed && squeezed->axes != found->axes) return;
      if (found) squeezed = found;
    }
    if (!squeezed) return;
    const Squeezed by = *squeezed;
    auto node = without_squeeze(model_.node(id), by.axes);
    if (!node) return;
    model_.node(id) = std::move(*node);
    for (size_t i = 0; i < model_.node(id).outputs.size(); ++i) squeeze_result(id, i, by);
    ++changes_;
  }

  /// The node without the Squeeze before its operands. Nothing if it does not allow that.
  std::optional<Node> without_squeeze(const Node& node, const Ints& axes) {
    for (const Value v : node.outputs) {
      if (!v || !model_.shape(v)) return std::nullopt;
    }
    const auto rank = static_cast<size_t>(model_.shape(node.outputs[0])->dim_size());
    Node result = node;
    const bool done = node.is("BatchNormalization")           ? axes.front() > 1 && is_inference(node)
                      : node.is("Concat") || node.is("Split") ? widen_axis(result, rank, axes)
                      : node.is("Slice")                      ? widen_slice(result, rank, axes)
                      : node.is("Pad")                        ? widen_pads(result, rank, axes)
                                                              : true;
    if (!done) return std::nullopt;
    const size_t operands = is_broadcasting(node) || node.is("Concat") ? node.inputs.size() : 1;
    for (size_t i = 0; i < operands; ++i) {
      Value& v = result.inputs[i];
      const Squeezed* found = movable(v);
      const auto& constant = model_[v].constant;
      if (found) {
        if (static_cast<size_t>(model_.shape(found->origin)->dim_size()) != rank + axes.size()) return std::nullopt;
        v = found->origin;
      } else if (!is_broadcasting(node) || !constant || is_shared_weight(v)) {
        return std::nullopt;
      } else if (constant->count() != 1) {
        v = widened(v, rank, axes);
      }
    }
    return result;
  }

  /// With other dims, it would be stored twice.
  bool is_shared_weight(Value v) const { return model_[v].constant->byte_size() > kSmallTensorBytes && uses(v) > 1; }

  /// A constant operand that is broadcast to tensors of this rank.
  Value widened(Value v, size_t rank, const Ints& axes) {
    const Tensor& constant = *model_[v].constant;
    Ints dims(rank - std::min(rank, constant.dims().size()), 1);
    dims.insert(dims.end(), constant.dims().begin(), constant.dims().end());
    for (const int64_t axis : axes) dims.insert(dims.begin() + axis, 1);
    return model_.add_constant(constant.reshaped(dims), model_[v].name);
  }

  static int64_t wider_axis(int64_t axis, size_t rank, const Ints& axes) {
    axis += axis < 0 ? static_cast<int64_t>(rank) : 0;
    for (const int64_t squeezed : axes) axis += squeezed <= axis ? 1 : 0;
    return axis;
  }

  static bool widen_axis(Node& node, size_t rank, const Ints& axes) {
    set_attribute(node, Attr("axis", wider_axis(int_attribute(node, "axis", 0), rank, axes)));
    return true;
  }

  bool widen_slice(Node& node, size_t rank, const Ints& axes) {
    constexpr size_t kAxes = 3;
    auto sliced = constant_list(model_, node, "axes", kAxes);
    if (!sliced) return false;
    for (int64_t& axis : *sliced) axis = wider_axis(axis, rank, axes);
    set_list(node, "axes", kAxes, *sliced);
    return true;
  }

  static constexpr size_t kPads = 1;  // the operand of Pad

  static bool has_axes(const Node& pad) {
    constexpr size_t kAxes = 3;
    return pad.inputs.size() > kAxes && pad.inputs[kAxes];
  }

  /// The pads at the start of all axes, then at their end.
  bool widen_pads(Node& node, size_t rank, const Ints& axes) {
    auto pads = constant_list(model_, node, "pads", kPads);
    if (!pads || pads->size() != 2 * rank || has_axes(node)) return false;
    const auto middle = static_cast<std::ptrdiff_t>(rank);
    Ints begins(pads->begin(), pads->begin() + middle), ends(pads->begin() + middle, pads->end());
    for (const int64_t axis : axes) {
      begins.insert(begins.begin() + axis, 0);
      ends.insert(ends.begin() + axis, 0);
    }
    begins.insert(begins.end(), ends.begin(), ends.end());
    set_list(node, "pads", kPads, begins);
    return true;
  }

  void set_list(Node& node, std::string_view name, size_t operand, const Ints& list) {
    if (find_attribute(node, name)) set_attribute(node, Attr(std::string(name), list));
    else node.inputs[operand] = model_.add_constant(Tensor::int64s(list));
  }

  void squeeze_result(NodeId id, size_t index, const Squeezed& by) {
    const Value result = model_.node(id).outputs[index];
    onnx::TypeProto type = model_[result].type();
    auto& dims = *type.mutable_tensor_type()->mutable_shape()->mutable_dim();
    for (const int64_t axis : by.axes) {
      dims.Add()->set_dim_value(1);
      for (int i = dims.size() - 1; i > axis; --i) dims.SwapElements(i, i - 1);
    }
    const Value unsqueezed = model_.new_value(model_[result].name + "/unsqueezed");
    model_.set_type(unsqueezed, type);
    model_.set_result(id, index, unsqueezed);

    Node squeeze = model_.node(by.node);
    squeeze.inputs[0] = unsqueezed;
    squeeze.outputs = {result};
    const NodeId added = model_.add_node(std::move(squeeze));
    squeezed_[result.id] = {unsqueezed, by.axes, added};
  }

  Model& model_;
  const std::vector<int32_t> counts_;
  const std::vector<bool> outputs_;
  std::unordered_map<int32_t, int32_t> followers_;  // of each value, the operands that may read what is not squeezed
  std::unordered_map<int32_t, std::vector<NodeId>> squeezes_;  // of each value
  std::unordered_map<int32_t, Squeezed> squeezed_;             // by the result
  Replacements replacements_;
  int changes_ = 0;
};

}  // namespace

int move_squeezes(Model& model) { return Squeezes(model).run(); }

}  // namespace fluid2onnx

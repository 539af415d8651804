#include "runtime/onnx/graph/passes/precision.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/legalise.h"
#include "runtime/onnx/graph/narrow.h"
#include "runtime/onnx/graph/passes/half_range.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"
#include "runtime/onnx/graph/schema.h"

namespace fluid2onnx {
namespace {

constexpr uint64_t kStatistics = 65536;  // beside others that do not fit into 16 bits, not worth a Cast

/// The float32 values from which sizes are computed.
class SizeArithmetic {
 public:
  explicit SizeArithmetic(const Model& model) : model_(model), found_(model.value_count(), false) { visit(0); }
  bool has(Value v) const {
    return v && static_cast<size_t>(v.id) < found_.size() && found_[static_cast<size_t>(v.id)];
  }

 private:
  /// From the last node to the first.
  void visit(GraphId graph) {
    const auto& nodes = model_.graph(graph).nodes;
    for (auto id = nodes.rbegin(); id != nodes.rend(); ++id) {
      const Node& node = model_.node(*id);
      for (const Body& body : node.bodies) visit(body.graph);
      const bool makes_integers = node.is("Cast") && is_integer(static_cast<Dtype>(int_attribute(node, "to", 0)));
      if (!makes_integers && std::none_of(node.outputs.begin(), node.outputs.end(), [&](Value v) { return has(v); })) {
        continue;
      }
      for (const Value v : node.inputs) {
        const auto* shape = v ? model_.shape(v) : nullptr;
        if (shape && shape->dim_size() <= 1) found_[static_cast<size_t>(v.id)] = true;
      }
    }
  }

  const Model& model_;
  std::vector<bool> found_;
};

class Lowering {
 public:
  Lowering(Model& model, const Precision& options)
      : model_(model),
        options_(options),
        low_(options.to),
        sizes_(model),
        range_(model, options.to),
        was_float_(model.value_count(), false) {
    for (size_t i = 0; i < was_float_.size(); ++i) {
      was_float_[i] = model.dtype(Value{static_cast<int32_t>(i)}) == Dtype::float32;
    }
  }

  std::vector<std::string> run() {
    model_.set_name_prefix("");
    if (options_.ports) set_types(model_.main().inputs);
    for (const Value v : model_.main().outputs) {
      if (was_float(v)) wanted_[v.id] = options_.ports ? low_ : Dtype::float32;
    }
    graph(0);
    return range_.warnings();
  }

 private:
  bool was_float(Value v) const {
    return v && static_cast<size_t>(v.id) < was_float_.size() && was_float_[static_cast<size_t>(v.id)];
  }

  void set_dtype(Value v, Dtype dtype) {
    onnx::TypeProto type = model_[v].type();
    type.mutable_tensor_type()->set_elem_type(static_cast<int32_t>(dtype));
    model_.set_type(v, type);
  }
  void set_types(const Values& values) {
    for (const Value v : values) {
      if (was_float(v)) set_dtype(v, low_);
    }
  }

  /// Rebuilds the list of nodes. Added nodes precede the node that needs them.
  void graph(GraphId id) {
    const GraphId outer = model_.switch_to(id);
    const auto nodes = std::exchange(model_.graph(id).nodes, {});
    for (const NodeId n : nodes) convert(id, n);
    model_.switch_to(outer);
  }

  void convert(GraphId graph, NodeId id) {
    Node& node = model_.node(id);
    const Schema* schema = node.domain.empty() ? find_schema(node.op_type, model_.opset()) : nullptr;
    std::vector<Dtype> results(node.outputs.size(), Dtype::float32);
    if (!node.bodies.empty()) {
      with_bodies(node, schema, &results);
    } else if (!node.is("Cast") && !is_shape_query(node, schema)) {
      plain(node, schema, &results);
    }
    model_.graph(graph).nodes.push_back(id);
    for (size_t i = 0; i < results.size(); ++i) {
      if (was_float(model_.node(id).outputs[i])) set_result_dtype(id, i, results[i]);
    }
  }

  /// All that goes into bodies and comes out of them has one dtype.
  void with_bodies(Node& node, const Schema* schema, std::vector<Dtype>* results) {
    bool lower = schema && !keeps(node);
    if (range_.exceeds(node) && !forced(node)) lower = false;
    for (size_t i = 0; lower && i < node.inputs.size(); ++i)
      lower = !was_float(node.inputs[i]) || takes(schema->input(i));
    for (size_t i = 0; lower && i < node.outputs.size(); ++i) {
      lower = !was_float(node.outputs[i]) || takes(schema->output(i));
    }
    const Dtype dtype = lower ? low_ : Dtype::float32;
    for (Value& v : node.inputs) {
      if (was_float(v)) v = as(v, dtype);
    }
    for (const Body& body : node.bodies) {
      if (lower) set_types(model_.graph(body.graph).inputs);
      for (const Value v : model_.graph(body.graph).outputs) {
        if (was_float(v)) wanted_[v.id] = dtype;
      }
      graph(body.graph);
    }
    results->assign(results->size(), dtype);
  }

  /// Gives no floats and takes one tensor, whatever its dtype. A sequence of one tensor gives it back later.
  bool is_shape_query(const Node& node, const Schema* schema) const {
    if (touches_sequence(node)) return false;
    if (!schema || node.inputs.size() != 1 || !was_float(node.inputs[0]) || was_float(node.outputs[0])) return false;
    const SchemaParam* param = schema->input(0);
    return param && admits(*schema, *param, node.op_type, model_.opset(), model_.dtype(node.inputs[0]));
  }

  void plain(Node& node, const Schema* schema, std::vector<Dtype>* results) {
    const bool exceeds = range_.exceeds(node) && !forced(node);
    const std::vector<bool> lowered = exceeds ? std::vector<bool>() : lowered_variables(node, schema);
    const auto overflow = range_.replacement_for(node);
    const auto low = [&](const SchemaParam* param) {
      return param && param->variable >= 0 && static_cast<size_t>(param->variable) < lowered.size() &&
             lowered[static_cast<size_t>(param->variable)];
    };
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Value v = node.inputs[i];
      if (!was_float(v)) continue;
      const bool lower = schema && low(schema->input(i));
      node.inputs[i] = lower ? as(v, low_, overflow) : sizes_.has(v) ? as(v, Dtype::float32) : as_float32(v, exceeds);
    }
    for (size_t i = 0; i < results->size(); ++i) {
      if (schema && low(schema->output(i))) (*results)[i] = low_;
    }
  }

  /// Which type variables of the schema stand for the lower dtype; empty: the node stays in float32.
  std::vector<bool> lowered_variables(const Node& node, const Schema* schema) const {
    if (!schema || keeps(node)) return {};
    if (std::any_of(node.outputs.begin(), node.outputs.end(), [&](Value v) { return sizes_.has(v); })) return {};
    const auto wide = [&](Value v) { return was_float(v) && model_.dtype(v) == Dtype::float32; };
    if (only_moves(node.op_type) &&
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](Value v) { return wide(v) && !model_[v].constant; })) {
      return {};
    }
    std::vector<bool> lowered(schema->variables.size(), false);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const SchemaParam* param = schema->input(i);
      if (!was_float(node.inputs[i]) || !param || param->variable < 0 || !param->dtypes.has(low_)) continue;
      if (!forced(node) && !admits(*schema, *param, node.op_type, model_.opset(), low_, node.attributes)) {
        return {};
      }
      lowered[static_cast<size_t>(param->variable)] = true;
    }
    return lowered;
  }

  bool forced(const Node& node) const {
    return options_.lower.count("all") != 0 || options_.lower.count(node.op_type) != 0;
  }
  bool touches_sequence(const Node& node) const {
    const auto is_sequence = [&](Value v) { return v && model_[v].type().has_sequence_type(); };
    return std::any_of(node.inputs.begin(), node.inputs.end(), is_sequence) ||
           std::any_of(node.outputs.begin(), node.outputs.end(), is_sequence);
  }
  bool keeps(const Node& node) const {
    // The elements of a sequence have one dtype, wherever they come from.
    if (touches_sequence(node)) return true;
    if (options_.keep.count(node.op_type) != 0) return true;
    return operators_kept_in_float32().count(node.op_type) != 0 && !forced(node);
  }
  bool takes(const SchemaParam* param) const { return param && param->dtypes.has(low_); }

  /// A result has its dtype; one that others want in another is cast under its own name.
  void set_result_dtype(NodeId id, size_t index, Dtype dtype) {
    const Value v = model_.node(id).outputs[index];
    const auto wanted = wanted_.find(v.id);
    if (wanted == wanted_.end() || wanted->second == dtype) {
      set_dtype(v, dtype);
      return;
    }
    const Value own = model_.new_value(model_[v].name + "/" + std::string(dtype_name(dtype)));
    model_.set_type(own, model_[v].type());
    set_dtype(own, dtype);
    model_.set_result(id, index, own);
    casts_[{v.id, dtype}] = own;
    set_dtype(v, wanted->second);
    model_.append("Cast", {own}, {Attr("to", wanted->second)}, model_[v].type(), v);
  }

  /// The value in that dtype. Casts and constants belong to the graph of the value, so that all who see it see them.
  Value as(Value v, Dtype dtype, Overflow overflow = Overflow::saturate) {
    if (model_.dtype(v) == dtype) return v;
    const bool narrows = model_[v].constant && dtype == low_;
    if (narrows) range_.note_narrowed(v, overflow);
    // Apart from those, the replacement of too large values does not matter.
    auto& casts = narrows && overflow == Overflow::quarter && !range_.fits(v) ? masks_ : casts_;
    const auto known = casts.find({v.id, dtype});
    if (known != casts.end()) return known->second;
    const GraphId here = model_.switch_to(model_[v].graph);
    const std::string name = model_[v].name + "/" + std::string(dtype_name(dtype));
    Value result;
    if (narrows) {
      result = model_.add_constant(narrowed(*model_[v].constant, low_, overflow), name);
    } else {
      result = model_.new_value(name);
      model_.set_type(result, model_[v].type());
      set_dtype(result, dtype);
      model_.append("Cast", {v}, {Attr("to", dtype)}, model_[result].type(), result);
    }
    model_.switch_to(here);
    casts[{v.id, dtype}] = result;
    return result;
  }

  /// For a node that stays in float32, perhaps because of the range: a weight takes 16 bits in the file, if it fits.
  Value as_float32(Value v, bool for_range) {
    const auto& constant = model_[v].constant;
    if (!constant || constant->byte_size() <= (for_range ? kStatistics : kSmallTensorBytes))
      return as(v, Dtype::float32);
    if (!range_.fits(v)) return as(v, Dtype::float32);
    const auto known = casts_.find({v.id, Dtype::float32});
    if (known != casts_.end()) return known->second;
    return casts_[{v.id, Dtype::float32}] = as(as(v, low_), Dtype::float32);
  }

  Model& model_;
  const Precision& options_;
  const Dtype low_;
  const SizeArithmetic sizes_;
  HalfRange range_;
  std::vector<bool> was_float_;
  std::map<int32_t, Dtype> wanted_;                   // of outputs
  std::map<std::pair<int32_t, Dtype>, Value> casts_;  // values in another dtype
  std::map<std::pair<int32_t, Dtype>, Value> masks_;  // the same, with a quarter of the range for infinity
};

}  // namespace

const std::set<std::string, std::less<>>& operators_kept_in_float32() {
  static const auto* list = new auto(words(
      "Bernoulli CumSum DequantizeLinear DynamicQuantizeLinear GRU GridSample LSTM Multinomial NonMaxSuppression "
      "QuantizeLinear RNN RandomNormal RandomNormalLike RandomUniform RandomUniformLike Range Resize RoiAlign TopK "
      "Upsample"));
  return *list;
}

std::vector<std::string> lower_precision(Model& model, const Precision& options, bool fuse) {
  if (options.to == Dtype::undefined) return {};
  const auto folds = [&](const char* op) { return options.keep.count(op) == 0; };
  if (fuse && folds("BatchNormalization") && folds("Conv") && folds("ConvTranspose")) fuse_batch_norms(model);
  return Lowering(model, options).run();
}

}  // namespace fluid2onnx

#include "runtime/onnx/graph/passes/half_range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

using Names = std::set<std::string_view>;

template <class Set>
bool in(const Set& names, const Node& node) {
  return node.domain.empty() && names.count(node.op_type) != 0;
}

/// Operators whose results are assumed to be in range, even if operands are not.
bool has_bounded_result(const Node& node) {
  static const auto* ops = new auto(words(
      "Atan BatchNormalization Conv ConvTranspose Cos Erf Gemm GroupNormalization HardSigmoid InstanceNormalization "
      "LayerNormalization Log LogSoftmax LpNormalization MatMul MeanVarianceNormalization RMSNormalization "
      "ReduceLogSum ReduceLogSumExp Sigmoid Sign Sin Softmax Softsign Tanh"));
  return in(*ops, node);
}

/// Operators that select elements of their operands.
bool selects_elements(const Node& node) {
  static const auto* ops =
      new Names{"GlobalMaxPool", "Max", "MaxPool", "Min", "ReduceMax", "ReduceMin", "TopK", "Where"};
  return in(*ops, node) || (node.domain.empty() && only_moves(node.op_type));
}

bool compares(const Node& node) {
  static const auto* ops = new Names{"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"};
  return in(*ops, node);
}

std::optional<float> scalar(const Model& model, Value v) {
  const auto& constant = model[v].constant;
  const auto numbers = constant && constant->count() == 1 ? constant->as_floats() : std::nullopt;
  return numbers ? std::optional(static_cast<float>(numbers->front())) : std::nullopt;
}

bool is_square(const Model& model, const Node& node) {
  if (node.is("Mul")) return node.inputs[0] == node.inputs[1];
  if (!node.is("Pow")) return false;
  const auto exponent = scalar(model, node.inputs[1]);
  return exponent && *exponent > 1;
}

/// True for a power with a negative or unknown exponent, which can be a division.
bool is_inverse_power(const Model& model, const Node& node) {
  if (!node.is("Pow")) return false;
  const auto exponent = scalar(model, node.inputs[1]);
  return !exponent || *exponent < 0;
}

bool in_float16(float number) {
  const float magnitude = std::fabs(number);
  return number == 0 || !std::isfinite(number) || (magnitude >= kSmallestInFloat16 && magnitude <= kLargestInFloat16);
}

std::string number_text(float number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", static_cast<double>(number));
  return text.data();
}

}  // namespace

bool only_moves(std::string_view op) {
  static const auto* ops = new Names{
      "Concat",  "DepthToSpace", "Expand", "Flatten",      "Gather",  "GatherElements", "GatherND",  "Identity", "Pad",
      "Reshape", "Slice",        "Split",  "SpaceToDepth", "Squeeze", "Tile",           "Transpose", "Unsqueeze"};
  return ops->count(op) != 0;
}

HalfRange::HalfRange(const Model& model, Dtype low)
    : model_(model),
      low_(low),
      wide_(model.value_count(), false),
      inverse_(model.value_count(), false),
      output_(graph_outputs(model)),
      compared_(model.value_count(), false),
      readers_(model.value_count()) {
  if (low_ != Dtype::float16) return;
  const auto graphs = reachable_graphs(model);
  for (auto g = graphs.rbegin(); g != graphs.rend(); ++g) {  // from the last node to the first
    const auto& nodes = model.graph(*g).nodes;
    for (auto id = nodes.rbegin(); id != nodes.rend(); ++id) note_compared(model.node(*id));
  }
  for (const GraphId g : graphs) {
    for (const NodeId id : model.graph(g).nodes) {
      for (const Value v : model.node(id).inputs) {
        if (v) readers_[static_cast<size_t>(v.id)].push_back(id);
      }
    }
  }
}

void HalfRange::note_compared(const Node& node) {
  const auto is_compared = [&](Value v) { return v && compared_[static_cast<size_t>(v.id)]; };
  const auto computed = [&](Value v) { return v && !model_[v].constant && model_.dtype(v) == Dtype::float32; };
  const bool found = compares(node)
                         ? computed(node.inputs[0]) && computed(node.inputs[1])
                         : selects_elements(node) && std::any_of(node.outputs.begin(), node.outputs.end(), is_compared);
  if (!found) return;
  for (const Value v : node.inputs) {
    if (computed(v)) compared_[static_cast<size_t>(v.id)] = true;
  }
}

bool HalfRange::is_wide(Value v) const {
  return v && static_cast<size_t>(v.id) < wide_.size() && wide_[static_cast<size_t>(v.id)];
}

const Magnitudes& HalfRange::magnitudes_of(Value v) {
  const auto found = magnitudes_.find(v.id);
  if (found != magnitudes_.end()) return found->second;
  return magnitudes_.emplace(v.id, magnitudes(*model_[v].constant, low_)).first->second;
}

bool HalfRange::fits(Value v) {
  if (low_ != Dtype::float16) return true;
  const Magnitudes& found = magnitudes_of(v);
  return found.beyond == 0 && (found.largest == 0 || found.largest >= kSmallestInFloat16);
}

bool HalfRange::exceeds(const Node& node) {
  if (low_ != Dtype::float16) return false;
  const bool wide = std::any_of(node.inputs.begin(), node.inputs.end(), [&](Value v) { return is_wide(v); });
  const auto compared = [&](Value v) { return v && compared_[static_cast<size_t>(v.id)]; };
  const bool compares_them = compares(node) && compared(node.inputs[0]) && compared(node.inputs[1]);
  const bool exact =
      compares_them || (selects_elements(node) && std::any_of(node.outputs.begin(), node.outputs.end(), compared));
  bool found = wide || attributes_exceed(node) || may_overflow(node);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!constant_exceeds(node, i)) continue;
    found = true;
    if (magnitudes_of(node.inputs[i]).beyond > 0) note(node.inputs[i], node.op_type + " is kept in float32");
  }
  if (!found || !results_exceed(node)) return found || exact;
  const bool inverse = makes_inverse(node);
  for (const Value v : node.outputs) {
    if (!v) continue;
    wide_[static_cast<size_t>(v.id)] = true;
    inverse_[static_cast<size_t>(v.id)] = inverse;
  }
  return found;
}

bool HalfRange::results_exceed(const Node& node) const {
  if (has_bounded_result(node)) return false;
  const auto wide = [&](size_t i) { return i < node.inputs.size() && is_wide(node.inputs[i]); };
  const auto inverse = [&](size_t i) { return wide(i) && inverse_[static_cast<size_t>(node.inputs[i].id)]; };
  if (node.is("Div")) return !wide(1) || model_[node.inputs[0]].constant != nullptr;
  if (node.is("Mul")) return inverse(0) == inverse(1);
  if (node.is("Clip")) return !has_upper_bound(node);
  return true;
}

/// True for reciprocals: a product with one is a division.
bool HalfRange::makes_inverse(const Node& node) const {
  if (node.is("Reciprocal") || is_inverse_power(model_, node)) return true;
  if (node.is("Div")) return model_[node.inputs[0]].constant != nullptr;
  if (!node.is("Sqrt") && !only_moves(node.op_type)) return false;
  const Value v = node.inputs[0];
  return is_wide(v) && inverse_[static_cast<size_t>(v.id)];
}

bool HalfRange::has_upper_bound(const Node& clip) const {
  const auto* attribute = find_attribute(clip, "max");
  if (attribute) return attribute->f() <= kLargestInFloat16;
  if (clip.inputs.size() < 3 || !clip.inputs[2]) return false;
  const auto bound = scalar(model_, clip.inputs[2]);
  return bound && *bound <= kLargestInFloat16;
}

void HalfRange::note(Value v, const std::string& what) { notes_[v.id].insert(what); }

void HalfRange::note_narrowed(Value v, Overflow overflow) {
  if (magnitudes_of(v).beyond > 0) note(v, "they are replaced by " + number_text(replacement(overflow, low_)));
}

std::vector<std::string> HalfRange::warnings() const {
  constexpr size_t kMost = 20;
  std::vector<std::string> lines;
  for (const auto& [id, notes] : notes_) {
    if (lines.size() == kMost) {
      lines.push_back("and " + std::to_string(notes_.size() - kMost) + " more constants");
      break;
    }
    const Value v{id};
    const Magnitudes& found = magnitudes_.at(id);
    std::string line = "'" + model_[v].name + "': " + std::to_string(found.beyond) + " of " +
                       std::to_string(model_[v].constant->count()) + " values exceed the range of " +
                       std::string(dtype_name(low_)) + " (largest: " + number_text(found.largest) + ")";
    for (const std::string& note : notes) line += (&note == &*notes.begin() ? ": " : ", ") + note;
    lines.push_back(std::move(line));
  }
  return lines;
}

bool HalfRange::constant_exceeds(const Node& node, size_t operand) {
  const Value v = node.inputs[operand];
  if (!v || !model_[v].constant || model_.dtype(v) != Dtype::float32) return false;
  const Magnitudes& found = magnitudes_of(v);
  if (found.beyond > 0) return !represents_infinity(node);
  if (node.is("BatchNormalization") && operand == 4) return variance_exceeds(node);
  const bool divides = node.is("Div") && operand == 1;
  const float least = divides ? found.smallest : found.largest;
  return least > 0 && least < kSmallestInFloat16;
}

/// True if rounding changes variance + epsilon by more than 1/128 of its value.
bool HalfRange::variance_exceeds(const Node& node) {
  constexpr double kError = 1.0 / 128;
  const auto* attribute = find_attribute(node, "epsilon");
  const double epsilon = attribute ? attribute->f() : 1e-5F;
  const Tensor& variance = *model_[node.inputs[4]].constant;
  const auto exact = variance.as_floats(), rounded = narrowed(variance, low_).as_floats();
  if (!exact || !rounded) return false;
  for (size_t i = 0; i < exact->size(); ++i) {
    if (std::fabs((*exact)[i] - (*rounded)[i]) > kError * ((*exact)[i] + epsilon)) return true;
  }
  return false;
}

bool HalfRange::attributes_exceed(const Node& node) const {
  // Bounds of Clip and Pad may be out of range. ONNX computes these normalisations, and their epsilon, in float32.
  if (node.is("Clip") || node.is("Pad") || node.is("LayerNormalization") || node.is("RMSNormalization")) return false;
  if (node.is("BatchNormalization")) return false;  // see variance_exceeds
  return std::any_of(node.attributes.begin(), node.attributes.end(), [](const onnx::AttributeProto& a) {
    return a.type() == onnx::AttributeProto::FLOAT && !in_float16(a.f());
  });
}

/// True if the results can exceed the range although the operands are in range.
bool HalfRange::may_overflow(const Node& node) const {
  static const auto* always =
      new Names{"Cosh",       "CumProd",         "CumSum", "Exp", "Range", "ReduceLogSum", "ReduceLogSumExp",
                "ReduceProd", "ReduceSumSquare", "Sinh"};
  if (in(*always, node) || is_inverse_power(model_, node)) return true;
  if (node.is("ReduceSum") || node.is("ReduceL1")) return sums_many(node);
  constexpr int kSteps = 4;
  return is_square(model_, node) && leads_to_sum(node.outputs[0], kSteps);
}

bool HalfRange::sums_many(const Node& node) const {
  constexpr int64_t kMany = 1024;
  const auto* shape = model_.shape(node.inputs[0]);
  if (!shape) return true;
  const int64_t rank = shape->dim_size();
  auto axes = constant_list(model_, node, "axes", 1);
  if (!axes && node.inputs.size() > 1 && node.inputs[1]) return true;
  if (!axes) {
    axes.emplace(static_cast<size_t>(rank));
    std::iota(axes->begin(), axes->end(), 0);
  }
  int64_t count = 1;
  for (const int64_t axis : *axes) {
    const int64_t i = axis < 0 ? axis + rank : axis;
    if (i < 0 || i >= rank || !shape->dim(static_cast<int>(i)).has_dim_value()) return true;
    count *= shape->dim(static_cast<int>(i)).dim_value();
    if (count > kMany) return true;
  }
  return false;
}

/// True if a sum, maximum or root reads the value, directly or after at most `steps` sums, products and moves.
bool HalfRange::leads_to_sum(Value v, int steps) const {
  static const auto* sums =
      new Names{"AveragePool", "CumSum", "GlobalAveragePool", "ReduceMax", "ReduceMean", "ReduceSum", "Sqrt"};
  static const auto* passes = new Names{"Add", "Div", "Mul", "Neg", "Sub", "Sum"};
  const auto& readers = readers_[static_cast<size_t>(v.id)];
  return std::any_of(readers.begin(), readers.end(), [&](NodeId id) {
    const Node& node = model_.node(id);
    if (in(*sums, node)) return true;
    return steps > 0 && (in(*passes, node) || only_moves(node.op_type)) && leads_to_sum(node.outputs[0], steps - 1);
  });
}

/// True if the value is only used for the scores of Softmax.
bool HalfRange::leads_to_softmax(Value v, int steps) const {
  static const auto* passes = new Names{"Add", "Mul", "Sub", "Sum", "Where"};
  const auto& readers = readers_[static_cast<size_t>(v.id)];
  if (readers.empty() || output_[static_cast<size_t>(v.id)]) return false;
  return std::all_of(readers.begin(), readers.end(), [&](NodeId id) {
    const Node& node = model_.node(id);
    if (node.is("Softmax") || node.is("LogSoftmax")) return true;
    if (steps == 0 || (!in(*passes, node) && !only_moves(node.op_type))) return false;
    return std::all_of(node.outputs.begin(), node.outputs.end(),
                       [&](Value result) { return leads_to_softmax(result, steps - 1); });
  });
}

/// True if values out of range represent infinity for this node.
bool HalfRange::represents_infinity(const Node& node) const {
  static const auto* bounds =
      new Names{"Clip", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Pad", "Where"};
  static const auto* sums = new Names{"Add", "Mul", "Sub", "Sum"};
  constexpr int kSteps = 8;
  if (in(*bounds, node)) return true;
  return (in(*sums, node) || only_moves(node.op_type)) && leads_to_softmax(node.outputs[0], kSteps);
}

Overflow HalfRange::replacement_for(const Node& node) const {
  constexpr int kSteps = 8;
  if (low_ != Dtype::float16 || node.outputs.empty() || !node.outputs[0]) return Overflow::saturate;
  return leads_to_softmax(node.outputs[0], kSteps) ? Overflow::quarter : Overflow::saturate;
}

}  // namespace fluid2onnx

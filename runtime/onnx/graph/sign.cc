#include "runtime/onnx/graph/sign.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fluid2onnx {
namespace {

constexpr int kDepth = 32;  // of producers that are followed

bool sizes(const Model& model, Value v) {
  const auto& elements = model[v].elements;
  if (!elements || elements->dim_size() == 0) return false;
  return std::all_of(elements->dim().begin(), elements->dim().end(),
                     [](const auto& e) { return e.has_dim_value() ? e.dim_value() >= 0 : e.has_dim_param(); });
}

bool never_negative(const Model& model, Value v, int depth) {
  if (!v || depth > kDepth) return false;
  if (model[v].constant) {
    const auto numbers = model.constant_ints(v);
    return numbers && std::all_of(numbers->begin(), numbers->end(), [](int64_t n) { return n >= 0; });
  }
  if (sizes(model, v)) return true;
  const Node* producer = model.producer(v);
  if (!producer || !producer->domain.empty()) return false;
  const Node& node = *producer;
  const std::string_view op = node.op_type;
  if (op == "Shape" || op == "Size" || op == "Abs" || op == "NonZero" || op == "ArgMax" || op == "ArgMin") return true;
  if (op == "TopK" && node.outputs.size() > 1 && node.outputs[1] == v) return true;
  const auto also = [&](Value x) { return never_negative(model, x, depth + 1); };
  if (op == "Max") return std::any_of(node.inputs.begin(), node.inputs.end(), also);
  if (op == "Add" || op == "Mul" || op == "Div" || op == "Min" || op == "Concat") {
    return std::all_of(node.inputs.begin(), node.inputs.end(), also);
  }
  // What counts up from no negative number.
  if (op == "Range" && node.inputs.size() == 3) return also(node.inputs[0]) && also(node.inputs[2]);
  if (op == "Where" && node.inputs.size() == 3) return also(node.inputs[1]) && also(node.inputs[2]);
  static constexpr std::array<std::string_view, 12> same = {"Gather",    "Slice",          "Squeeze",  "Unsqueeze",
                                                            "Cast",      "Reshape",        "Identity", "GatherND",
                                                            "Transpose", "GatherElements", "Expand",   "Tile"};
  return std::find(same.begin(), same.end(), op) != same.end() && also(node.inputs[0]);
}

}  // namespace

bool never_negative(const Model& model, Value v) { return never_negative(model, v, 0); }

}  // namespace fluid2onnx

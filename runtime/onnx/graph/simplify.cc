#include "runtime/onnx/graph/simplify.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/sign.h"

namespace fluid2onnx {
namespace {

struct Call {
  const Model& model;
  const Values& inputs;
  const Attrs& attrs;

  Value x() const { return inputs[0]; }
  const AttrValue* attr(std::string_view name) const { return find_attr(attrs, name); }
  bool has(size_t i) const { return i < inputs.size() && inputs[i]; }
  /// The numbers of a constant operand, else of an attribute; nothing when neither is given or known.
  std::optional<Ints> ints(size_t i, std::string_view name) const {
    if (has(i)) return model.constant_ints(inputs[i]);
    const AttrValue* value = attr(name);
    const auto* list = value ? std::get_if<Ints>(value) : nullptr;
    return list ? std::optional<Ints>(*list) : std::nullopt;
  }
};

bool same_dtype(const Call& call) {
  const AttrValue* to = call.attr("to");
  const auto* dtype = to ? std::get_if<int64_t>(to) : nullptr;
  return dtype && *dtype != 0 && static_cast<Dtype>(*dtype) == call.model.dtype(call.x());
}

bool same_shape(const Call& call) {
  const auto* shape = call.model.shape(call.x());
  if (!shape) return false;
  if (call.has(1)) {  // Reshape(x, Shape(x))
    const Node* node = call.model.producer(call.inputs[1]);
    if (node && node->op_type == "Shape" && node->attributes.empty() && node->inputs[0] == call.x()) return true;
  }
  const auto wanted = call.ints(1, "shape");
  if (!wanted || static_cast<int>(wanted->size()) != shape->dim_size()) return false;
  const AttrValue* allow_zero = call.attr("allowzero");
  const bool zero_copies = !allow_zero || std::get<int64_t>(*allow_zero) == 0;
  int open = 0;  // one -1 is determined by the others, unless these are 0
  bool any_zero = false;
  for (int i = 0; i < shape->dim_size(); ++i) {
    const int64_t w = (*wanted)[static_cast<size_t>(i)];
    const auto& d = shape->dim(i);
    if (d.has_dim_value() && d.dim_value() == 0) any_zero = true;
    if (w == 0 && zero_copies) continue;
    if (w == -1) {
      ++open;
    } else if (!d.has_dim_value() || d.dim_value() != w) {
      return false;
    }
  }
  return open == 0 || (open == 1 && !any_zero && call.model.static_shape(call.x()));
}

bool same_order(const Call& call) {
  const auto perm = call.ints(SIZE_MAX, "perm");
  if (!perm) {
    const auto* shape = call.model.shape(call.x());
    return shape && shape->dim_size() <= 1;
  }
  for (size_t i = 0; i < perm->size(); ++i) {
    if ((*perm)[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

bool no_axes(const Call& call) {
  const auto axes = call.ints(1, "axes");
  return axes && axes->empty();
}

bool takes_everything(const Call& call) {
  const auto starts = call.ints(1, "starts");
  const auto ends = call.ints(2, "ends");
  if (!starts || !ends || starts->size() != ends->size()) return false;
  auto axes = call.ints(3, "axes");
  if (!axes) {
    if (call.has(3)) return false;
    axes.emplace();
    for (size_t i = 0; i < starts->size(); ++i) axes->push_back(static_cast<int64_t>(i));
  }
  if (call.has(4)) {
    const auto steps = call.ints(4, "");
    if (!steps || !std::all_of(steps->begin(), steps->end(), [](int64_t s) { return s == 1; })) return false;
  }
  if (axes->size() != starts->size()) return false;
  const auto* shape = call.model.shape(call.x());
  for (size_t i = 0; i < axes->size(); ++i) {
    if ((*starts)[i] != 0) return false;
    if ((*ends)[i] == INT64_MAX) continue;
    if (!shape) return false;
    const int64_t axis = (*axes)[i] < 0 ? (*axes)[i] + shape->dim_size() : (*axes)[i];
    if (axis < 0 || axis >= shape->dim_size()) return false;
    const auto& d = shape->dim(static_cast<int>(axis));
    if (!d.has_dim_value() || (*ends)[i] < d.dim_value()) return false;
  }
  return true;
}

bool all_ones(const Ints& list) {
  return std::all_of(list.begin(), list.end(), [](int64_t n) { return n == 1; });
}

bool expands_nothing(const Call& call) {
  const auto wanted = call.ints(1, "");
  const auto* shape = call.model.shape(call.x());
  if (!wanted || !shape || static_cast<int>(wanted->size()) > shape->dim_size()) return false;
  for (size_t i = 0; i < wanted->size(); ++i) {
    const int64_t w = (*wanted)[wanted->size() - 1 - i];
    const auto& d = shape->dim(shape->dim_size() - 1 - static_cast<int>(i));
    if (w != 1 && (!d.has_dim_value() || d.dim_value() != w)) return false;
  }
  return true;
}

bool repeats_nothing(const Call& call) {
  const auto repeats = call.ints(1, "");
  return repeats && all_ones(*repeats);
}

bool pads_nothing(const Call& call) {
  const auto pads = call.ints(1, "pads");
  return pads && std::all_of(pads->begin(), pads->end(), [](int64_t n) { return n == 0; });
}

/// A second operand of nothing but this number, which does not make the result any larger than the first.
///
/// Integers only: -0.0 + 0.0 is another number, and ONNX Runtime fuses a layer norm only with its scale, be that 1.
bool is_all(const Call& call, int64_t number) {
  if (call.inputs.size() != 2 || !call.has(1) || !is_integer(call.model.dtype(call.x()))) return false;
  const auto numbers = call.ints(1, "");
  const auto* shape = call.model.shape(call.x());
  if (!numbers || !shape) return false;
  const Ints& dims = call.model[call.inputs[1]].constant->dims();
  const int shift = shape->dim_size() - static_cast<int>(dims.size());
  if (shift < 0) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto& d = shape->dim(shift + static_cast<int>(i));
    if (dims[i] != 1 && (!d.has_dim_value() || d.dim_value() != dims[i])) return false;
  }
  return std::all_of(numbers->begin(), numbers->end(), [number](int64_t n) { return n == number; });
}

bool times_one(const Call& call) { return is_all(call, 1); }
bool plus_nothing(const Call& call) { return is_all(call, 0); }

bool stays_as_it_is(const Call& call) { return never_negative(call.model, call.x()); }
bool single_operand(const Call& call) { return call.inputs.size() == 1; }
bool always(const Call&) { return true; }

}  // namespace

Value simplify(const Model& model, std::string_view op, const Values& inputs, const Attrs& attrs) {
  static const auto* rules = new std::unordered_map<std::string_view, bool (*)(const Call&)>{
      {"Abs", stays_as_it_is},     {"Add", plus_nothing},       {"Cast", same_dtype},  {"Concat", single_operand},
      {"Div", times_one},          {"Expand", expands_nothing}, {"Identity", always},  {"Max", single_operand},
      {"Min", single_operand},     {"Mul", times_one},          {"Pad", pads_nothing}, {"Reshape", same_shape},
      {"Slice", takes_everything}, {"Squeeze", no_axes},        {"Sub", plus_nothing}, {"Sum", single_operand},
      {"Tile", repeats_nothing},   {"Transpose", same_order},   {"Unsqueeze", no_axes}};
  const auto rule = rules->find(op);
  if (rule == rules->end() || inputs.empty() || !inputs[0]) return {};
  if (rule->second(Call{model, inputs, attrs})) return inputs[0];
  if ((op != "Add" && op != "Mul") || !inputs[1]) return {};
  const Values swapped{inputs[1], inputs[0]};
  return rule->second(Call{model, swapped, attrs}) ? inputs[1] : Value();
}

}  // namespace fluid2onnx

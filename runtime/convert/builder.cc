#include "runtime/convert/builder.h"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "runtime/convert/compute.h"

namespace fluid2onnx {
namespace {

using adapt::AttrKind;
using adapt::Step;

std::string quoted(const char* name) { return "'" + std::string(name) + "'"; }

Attrs::iterator find(Attrs& attrs, const char* name) {
  return std::find_if(attrs.begin(), attrs.end(), [&](const Attr& a) { return a.name == name; });
}

void drop_absent_tail(Operands& operands) {
  while (!operands.empty() && operands.back().omitted()) operands.pop_back();
}

/// The elements of an operand, as integers or floats, if they are known.
template <class List>
std::optional<List> known_elements(OpContext& op, const Operand& operand) {
  const auto* value = std::get_if<Value>(&operand.rep());
  const auto* scalar = std::get_if<Scalar>(&operand.rep());
  if (const Value tensor = value ? *value : scalar ? scalar->tensor : Value()) {
    if (!op.is_const(tensor)) return std::nullopt;
    if constexpr (std::is_same_v<List, Ints>) return op.const_ints(tensor);
    else return op.const_floats(tensor);
  }
  const auto constant = known_constant(operand);
  if (!constant) return std::nullopt;
  return std::visit([](const auto& data) { return List(data.begin(), data.end()); }, constant->data);
}

template <class List>
AttrValue attr_of(OpContext& op, const Operand& operand, bool list, const Step& step, const char* node) {
  const auto elements = known_elements<List>(op, operand);
  if (!elements) op.refuse_opset(step.since, quoted(step.name) + " of " + node + " that is known only at run time");
  return list ? AttrValue(*elements) : AttrValue(at(*elements, 0));
}

void operand_to_attr(OpContext& op, Operands& operands, Attrs& attrs, const Step& step, const char* node) {
  if (step.index >= operands.size()) return;
  const Operand operand = std::exchange(operands[step.index], Operand());
  drop_absent_tail(operands);
  if (operand.omitted()) return;
  const bool list = step.attr_kind == AttrKind::integers || step.attr_kind == AttrKind::floats;
  const bool integral = step.attr_kind == AttrKind::integers || step.attr_kind == AttrKind::integer;
  attrs.emplace_back(step.name, int64_t{0}).value =
      integral ? attr_of<Ints>(op, operand, list, step, node) : attr_of<Floats>(op, operand, list, step, node);
}

void require_absent_operand(OpContext& op, Operands& operands, const Step& step, const char* node) {
  if (step.index >= operands.size()) return;
  if (!operands[step.index].omitted()) {
    op.refuse_opset(step.since, "operand " + quoted(step.name) + " of " + node);
  }
  drop_absent_tail(operands);
}

void add_empty_operand(OpContext& op, Operands& operands, const Step& step) {
  if (operands.size() <= step.index) operands.resize(step.index + 1);
  if (operands[step.index].omitted()) operands[step.index] = op.tensor(Constant{Floats{}, {0}, Dtype::float32});
}

bool is_default(const AttrValue& value, const Step::Default& default_value) {
  if (const auto* i = std::get_if<int64_t>(&default_value)) return value == AttrValue(*i);
  if (const auto* text = std::get_if<std::string_view>(&default_value)) return value == AttrValue(std::string(*text));
  if (const auto* d = std::get_if<double>(&default_value)) {
    // Schemas hold float defaults in single precision.
    const auto* given = std::get_if<double>(&value);
    return given && static_cast<float>(*given) == static_cast<float>(*d);
  }
  const auto* list = std::get_if<Ints>(&value);
  return list && std::all_of(list->begin(), list->end(), [](int64_t x) { return x == 1; });
}

void require_default_attr(OpContext& op, Attrs& attrs, const Step& step, const char* node) {
  const auto found = find(attrs, step.name);
  if (found == attrs.end()) return;
  if (!is_default(found->value, step.default_value)) {
    op.refuse_opset(step.since, "attribute " + quoted(step.name) + " of " + node);
  }
  attrs.erase(found);
}

void reject_value(OpContext& op, Attrs& attrs, const Step& step, const char* node) {
  const auto found = find(attrs, step.name);
  if (found == attrs.end() || found->value != AttrValue(std::string(step.other))) return;
  op.refuse_opset(step.since, quoted(step.name) + " \"" + step.other + "\" of " + node);
}

void count_axes_from_front(OpContext& op, const Operands& operands, Attrs& attrs, const Step& step) {
  const auto found = find(attrs, step.name);
  const auto* x = operands.empty() ? nullptr : std::get_if<Value>(&operands[0].rep());
  if (found == attrs.end() || !x) return;
  auto* one = std::get_if<int64_t>(&found->value);
  auto* list = std::get_if<Ints>(&found->value);
  const auto count = [&](int64_t& axis) {
    if (axis >= 0) return;
    const bool of_result = step.kind == Step::Kind::axes_of_unsqueeze && list;
    axis += op.rank(*x) + (of_result ? static_cast<int64_t>(list->size()) : 0);
  };
  if (one) count(*one);
  if (list) std::for_each(list->begin(), list->end(), count);
}

void take(OpContext& op, Operands& in, Attrs& attrs, const Step& step, const char* node) {
  using Kind = Step::Kind;
  switch (step.kind) {
    case Kind::operand_was_attr: return operand_to_attr(op, in, attrs, step, node);
    case Kind::operand_added: return require_absent_operand(op, in, step, node);
    case Kind::operand_required: return add_empty_operand(op, in, step);
    case Kind::attr_added: return require_default_attr(op, attrs, step, node);
    case Kind::attr_renamed: {
      if (const auto found = find(attrs, step.name); found != attrs.end()) found->name = step.other;
      return;
    }
    case Kind::value_added: return reject_value(op, attrs, step, node);
    case Kind::axes_of_operand:
    case Kind::axes_of_unsqueeze: return count_axes_from_front(op, in, attrs, step);
  }
}

}  // namespace

Values Builder::emit(OpContext& op, Operands& in, Attrs& attrs, int64_t outputs) const {
  for (const Step& step : steps_)
    if (op.opset() < step.since) take(op, in, attrs, step, node_);
  return op.node(node_, in, attrs, static_cast<int>(outputs));
}

Value Builder::operator()(OpContext& op, Operands in, Attrs attrs) const { return emit(op, in, attrs, 1)[0]; }

Values ListBuilder::operator()(OpContext& op, Operands in, Attrs attrs, int64_t outputs) const {
  return emit(op, in, attrs, outputs);
}

}  // namespace fluid2onnx

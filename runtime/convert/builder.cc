#include "runtime/convert/builder.h"

#include <string>
#include <utility>

namespace fluid2onnx {
namespace {

AttrValue value_of(const adapt::Step::Default& usual) {
  if (const auto* i = std::get_if<int64_t>(&usual)) return *i;
  if (const auto* d = std::get_if<double>(&usual)) return *d;
  return std::string(std::get<std::string_view>(usual));
}

void take(OpContext& op, Operands& in, Attrs& attrs, const adapt::Step& step, const char* node) {
  using Kind = adapt::Step::Kind;
  switch (step.kind) {
    case Kind::operand_was_attr:
      return adapt::operand_to_attr(op, in, attrs, step.index, step.name, step.attr_kind, node, step.since);
    case Kind::operand_added: return adapt::no_operand(op, in, step.index, step.name, node, step.since);
    case Kind::operand_required: return adapt::empty_operand(op, in, step.index);
    case Kind::attr_renamed: return adapt::rename_attr(attrs, step.name, step.other);
    case Kind::value_added: return adapt::no_value(op, attrs, step.name, step.other, node, step.since);
    case Kind::attr_added: {
      if (step.usual.index() == 0) return adapt::no_attr(op, attrs, step.name, nullptr, node, step.since);
      const AttrValue usual = value_of(step.usual);
      return adapt::no_attr(op, attrs, step.name, &usual, node, step.since);
    }
  }
}

}  // namespace

Values Builder::emit(OpContext& op, Operands& in, Attrs& attrs, int64_t outputs) const {
  for (const adapt::Step& step : steps_)
    if (op.opset() < step.since) take(op, in, attrs, step, node_);
  // Schemas allow negative axes from 11 on.
  if (axes_ != nullptr && op.opset() < 11) adapt::count_axes_from_front(op, in, attrs, axes_, unsqueeze_);
  return op.node(node_, in, attrs, static_cast<int>(outputs));
}

Value Builder::operator()(OpContext& op, Operands in, Attrs attrs) const { return emit(op, in, attrs, 1)[0]; }

Values ListBuilder::operator()(OpContext& op, Operands in, Attrs attrs, int64_t outputs) const {
  return emit(op, in, attrs, outputs);
}

}  // namespace fluid2onnx

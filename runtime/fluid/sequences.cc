// Sequences of tensors whose elements are known one by one while converting: nothing of them is left in the program.
#include <algorithm>

#include "runtime/fluid/natives.h"
#include "runtime/fluid/onnx_walker.h"
#include "runtime/support/refused.h"

namespace fluid2onnx::natives {
namespace {

constexpr char kNotKnown[] = "a sequence whose tensors are not known one by one, as that of a loop";

/// The tensors of a sequence, from the node of the scratch model that makes it.
Values tensors_of(FluidContext& context, Value sequence) {
  const Model& model = context.builder().model();
  const NodeId producer = model[sequence].producer;
  if (producer >= 0) {
    const Node& node = model.node(producer);
    if (node.op_type == "SequenceConstruct") return node.inputs;
    if (node.op_type == "SequenceEmpty") return {};
  }
  throw Refused(E_UNSUPPORTED, kNotKnown);
}

Value sequence_of(FluidContext& context, const Values& tensors) {
  if (tensors.empty()) return context.node("SequenceEmpty", {}, {}, 1).front();
  return context.node("SequenceConstruct", Operands(tensors.begin(), tensors.end()), {}, 1).front();
}

/// A position among `size`, counted from the end if it is negative; `otherwise` if it is not given.
std::ptrdiff_t position(FluidContext& context, size_t size, int64_t otherwise) {
  int64_t at = otherwise;
  if (const Value given = context.has("position") ? context.input("position") : Value()) {
    if (!context.is_const(given))
      context.refuse(E_NOT_CONSTANT, "a position in a sequence that is not known while converting");
    at = context.const_ints(given).at(0);
  }
  const auto n = static_cast<int64_t>(size);
  if (at < -n || at > n) context.refuse(E_INDEX, "position " + std::to_string(at) + " of " + std::to_string(n));
  return static_cast<std::ptrdiff_t>(at < 0 ? at + n : at);
}

/// How large the parts along an axis are.
Ints part_sizes(FluidContext& context, int64_t whole) {
  Ints sizes;
  if (!context.has("split")) return Ints(static_cast<size_t>(whole), 1);
  const Value split = context.input("split");
  if (!context.is_const(split)) context.refuse(E_NOT_CONSTANT, "sizes of parts that are not known while converting");
  sizes = context.const_ints(split);
  if (context.rank(split) > 0) return sizes;
  const int64_t size = sizes.at(0);
  if (size < 1) context.refuse(E_SHAPE, "parts of " + std::to_string(size) + " elements");
  sizes.assign(static_cast<size_t>(whole / size), size);
  if (whole % size != 0) sizes.push_back(whole % size);
  return sizes;
}

}  // namespace

void sequence_construct(OpContext& op) {
  FluidContext& context = fluid_context(op);
  context.set_output("output_sequence", sequence_of(context, context.inputs("inputs")));
}

void sequence_empty(OpContext& op) {
  FluidContext& context = fluid_context(op);
  context.set_output("output", sequence_of(context, {}));
}

void sequence_insert(OpContext& op) {
  FluidContext& context = fluid_context(op);
  Values tensors = tensors_of(context, context.input("input_sequence"));
  const auto at = position(context, tensors.size(), static_cast<int64_t>(tensors.size()));
  tensors.insert(tensors.begin() + at, context.input("tensor"));
  context.set_output("output_sequence", sequence_of(context, tensors));
}

void sequence_erase(OpContext& op) {
  FluidContext& context = fluid_context(op);
  Values tensors = tensors_of(context, context.input("input_sequence"));
  if (tensors.empty()) context.refuse(E_INDEX, "nothing can be taken out of an empty sequence");
  const auto last = static_cast<std::ptrdiff_t>(tensors.size()) - 1;
  tensors.erase(tensors.begin() + std::min(position(context, tensors.size(), last), last));
  context.set_output("output_sequence", sequence_of(context, tensors));
}

void sequence_at(OpContext& op) {
  FluidContext& context = fluid_context(op);
  const Values tensors = tensors_of(context, context.input("input_sequence"));
  const auto at = static_cast<size_t>(position(context, tensors.size(), 0));
  if (at >= tensors.size())
    context.refuse(E_INDEX, "position " + std::to_string(at) + " of " + std::to_string(tensors.size()));
  context.set_output("tensor", tensors[at]);
}

void sequence_length(OpContext& op) {
  FluidContext& context = fluid_context(op);
  const auto size = static_cast<int64_t>(tensors_of(context, context.input("input_sequence")).size());
  context.set_output("length", context.tensor(Operand(Constant{Ints{size}, {}, Dtype::int64})));
}

void split_to_sequence(OpContext& op) {
  FluidContext& context = fluid_context(op);
  const Value x = context.input("input");
  const int64_t rank = context.rank(x), given = context.attr_int("axis", 0), axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank) context.refuse(E_AXIS, "axis " + std::to_string(given) + " of " + std::to_string(rank));
  const Dim whole = context.dim(x, axis);
  if (!whole.known()) context.refuse(E_UNKNOWN_VALUE, "parts of an open size");
  const Ints sizes = part_sizes(context, whole.known_value);
  Values parts;
  int64_t from = 0;
  for (const int64_t size : sizes) {
    parts.push_back(context
                        .fluid("slice", {{"Input", {x}}},
                               {{"axes", Ints{axis}}, {"starts", Ints{from}}, {"ends", Ints{from + size}}}, 1)
                        .front());
    from += size;
  }
  if (!context.has("split") && context.attr_int("keepdims", 1) == 0) {
    for (Value& part : parts) part = context.node("Squeeze", {part, Operand(Ints{axis})}, {}, 1).front();
  }
  context.set_output("output_sequence", sequence_of(context, parts));
}

void concat_from_sequence(OpContext& op) {
  FluidContext& context = fluid_context(op);
  const Values tensors = tensors_of(context, context.input("input_sequence"));
  if (tensors.empty()) context.refuse(E_SHAPE, "an empty sequence cannot be joined");
  const bool stack = context.attr_int("new_axis", 0) != 0;
  const Operands operands(tensors.begin(), tensors.end());
  context.set_output(
      "concat_result",
      context.fluid(stack ? "stack" : "concat", {{"X", operands}}, {{"axis", context.attr_int("axis", 0)}}, 1).front());
}

}  // namespace fluid2onnx::natives

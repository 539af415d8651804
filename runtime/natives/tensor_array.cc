// Tensor arrays, as ONNX sequences.
//
// Where all elements are known one by one, the array is a SequenceConstruct of them, and what reads it takes them from
// there: outside of loops nothing remains of the array. The types of sequences say nothing of the elements' shapes,
// which may differ from turn to turn.
#include "runtime/convert/natives.h"
#include "runtime/driver/block_context.h"

namespace fluid2onnx::natives {
namespace {

constexpr int kAxesAreOperands = 13;  // of Unsqueeze

/// The elements if they are known one by one. An array that was never written has none.
std::optional<Values> elements_of(BlockContext& context, Value array) {
  if (!array) return Values();
  const Node* node = context.producer(array);
  if (!node || (node->op_type != "SequenceEmpty" && node->op_type != "SequenceConstruct")) return std::nullopt;
  return node->inputs;
}

/// The only element of an index: [1] or 0-D.
Value scalar(OpContext& op, Value index) { return op.node("Reshape", {index, Ints{}}, {}, 1).front(); }

/// A constant index, which is below `end`.
std::optional<size_t> known_index(OpContext& op, Value index, size_t end) {
  if (!op.is_const(index)) return std::nullopt;
  const Ints numbers = op.const_ints(index);
  if (numbers.size() != 1 || numbers[0] < 0 || numbers[0] >= static_cast<int64_t>(end)) {
    op.refuse(E_BAD_PROGRAM, "the index is beyond the end of the tensor array");
  }
  return static_cast<size_t>(numbers[0]);
}

/// True if the index is the array's length.
bool is_length(BlockContext& context, Value index, Value array) {
  const Node* node = context.producer(index);
  while (node && (node->op_type == "Reshape" || node->op_type == "Cast")) node = context.producer(node->inputs[0]);
  return node && node->op_type == "SequenceLength" && node->inputs[0] == array;
}

}  // namespace

void write_to_array(OpContext& op) {
  BlockContext& context = block_context(op);
  const std::string name = context.op().output("Out", 0);
  const Value array = context.value_of(name), x = op.input("X"), index = op.input("I");
  const auto sequence = [&](const char* type, const Operands& operands) {
    return context.as_sequence(op.node(type, operands, {}, 1).front());
  };
  if (auto elements = elements_of(context, array)) {
    if (const auto at = known_index(op, index, elements->size() + 1)) {
      if (*at == elements->size()) elements->push_back(x);
      else (*elements)[*at] = x;
      op.set_output("Out", sequence("SequenceConstruct", Operands(elements->begin(), elements->end())));
      return;
    }
  }
  const Value before = array ? array : context.zeros_like(name);
  if (is_length(context, index, before)) {
    op.set_output("Out", sequence("SequenceInsert", {before, x}));
    return;
  }
  const Value at = scalar(op, index);
  const Value length = op.node("SequenceLength", {before}, {}, 1).front();
  const Values after = op.if_else(
      op.node("Less", {at, length}, {}, 1).front(),
      [&] {
        return Values{sequence("SequenceInsert", {sequence("SequenceErase", {before, at}), x, at})};
      },
      [&] {
        return Values{sequence("SequenceInsert", {before, x, at})};
      });
  op.set_output("Out", after.front());
}

void read_from_array(OpContext& op) {
  BlockContext& context = block_context(op);
  const Value array = op.input("X"), index = op.input("I");
  const auto elements = elements_of(context, array);
  if (elements) {
    if (const auto at = known_index(op, index, elements->size())) {
      op.set_output("Out", (*elements)[*at]);
      return;
    }
  }
  op.set_output("Out", op.node("SequenceAt", {array, scalar(op, index)}, {}, 1).front());
}

void lod_array_length(OpContext& op) {
  BlockContext& context = block_context(op);
  const Value array = context.value_of(context.op().input("X", 0));
  if (const auto elements = elements_of(context, array)) {
    op.set_output("Out", Ints{static_cast<int64_t>(elements->size())});
    return;
  }
  const Value length = op.node("SequenceLength", {array}, {}, 1).front();
  op.set_output("Out", op.node("Reshape", {length, Ints{1}}, {}, 1).front());
}

void tensor_array_to_tensor(OpContext& op) {
  BlockContext& context = block_context(op);
  if (op.used("OutIndex")) op.refuse(E_UNSUPPORTED, "the sizes of a tensor array's elements ('OutIndex') are read");
  const int64_t axis = op.attr_int("axis", 0);
  const bool stack = op.attr_bool("use_stack", false);
  const Value array = op.input("X");
  const auto elements = elements_of(context, array);
  if (!elements) {
    const Value joined =
        op.node("ConcatFromSequence", {array}, {Attr("axis", axis), Attr("new_axis", stack)}, 1).front();
    op.set_output("Out", context.with_declared_rank(joined, context.op().output("Out", 0)));
    return;
  }
  if (elements->empty()) op.refuse(E_BAD_PROGRAM, "the tensor array is empty");
  Operands parts;
  for (const Value v : *elements) {
    if (!stack) parts.push_back(v);
    else if (op.opset() < kAxesAreOperands)
      parts.push_back(op.node("Unsqueeze", {v}, {Attr("axes", Ints{axis})}, 1)[0]);
    else parts.push_back(op.node("Unsqueeze", {v, Ints{axis}}, {}, 1)[0]);
  }
  op.set_output("Out", op.node("Concat", parts, {Attr("axis", axis)}, 1).front());
}

}  // namespace fluid2onnx::natives

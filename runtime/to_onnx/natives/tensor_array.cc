// Tensor arrays, as ONNX sequences.
//
// If all elements are known one by one, the array is a SequenceConstruct, and its readers use the elements: outside of
// loops, dead nodes then remove the array. Types of sequences have no element shapes, which may differ by iteration.
#include <algorithm>
#include <functional>

#include "runtime/convert/natives.h"
#include "runtime/to_onnx/natives/body_signature.h"
#include "runtime/to_onnx/natives/loop_arrays.h"

namespace fluid2onnx::natives {

namespace {

constexpr int kAxesAreOperands = 13;  // of Unsqueeze
constexpr int kSequences = 11;

/// A constant index, which is below `end`.
std::optional<size_t> known_index(OpContext& op, Value index, size_t end) {
  if (!op.is_const(index)) return std::nullopt;
  const Ints numbers = op.const_ints(index);
  if (numbers.size() != 1 || numbers[0] < 0 || numbers[0] >= static_cast<int64_t>(end)) {
    op.refuse(E_BAD_PROGRAM, "the index is out of range for the tensor array");
  }
  return static_cast<size_t>(numbers[0]);
}

/// True if the index is the array's length.
bool is_length(BlockContext& context, Value index, Value array) {
  const Node* node = context.model().producer(index);
  while (node && (node->op_type == "Reshape" || node->op_type == "Cast"))
    node = context.model().producer(node->inputs[0]);
  return node && node->op_type == "SequenceLength" && node->inputs[0] == array;
}

/// An array, and those of the lengths of its elements; some are absent where each element is one sequence.
struct Parts {
  Values arrays, added;
};

/// Pairs each array with the element to write.
Parts parts_of(BlockContext& context, const std::string& name, const ValueWithLod& array, const ValueWithLod& x) {
  const auto elements = elements_of(context, array.value);
  const bool empty = elements && elements->empty();
  Parts parts{{array.value ? array.value : context.zeros_like(name)}, {x.value}};
  const size_t levels = empty ? x.lod.size() : std::max(array.lod.size(), x.lod.size());
  for (size_t level = 0; level < levels; ++level) {
    const bool known = !empty && level < array.lod.size();
    const bool one = level < x.lod.size() && !x.lod[level];
    if (one && (empty || (known && !array.lod[level]))) {
      parts.arrays.push_back({});
      parts.added.push_back({});
      continue;
    }
    if (known && !array.lod[level]) {
      context.refuse(E_LOD, "a tensor array contains other sequences than the one of --lod single; use --lod lengths");
    }
    // A loop-carried array is marked as having lengths when its elements have.
    parts.arrays.push_back(known ? array.lod[level] : no_lengths(context, elements ? array.value : Value()));
    parts.added.push_back(tensor_lengths(context, x, level));
  }
  return parts;
}

}  // namespace

void write_to_array(OpContext& op) {
  BlockContext& context = block_context(op);
  const std::string name = context.op().output("Out", 0);
  // A loop may need the element only, which needs no sequences.
  if (op.opset() < kSequences && !context.has_variable(name) && context.defer()) return;
  const ValueWithLod array = context.held(name);
  const Value index = context.required_input("I");
  const ValueWithLod element = context.held(context.op().input("X", 0));
  if (!element.value) op.refuse(E_BAD_PROGRAM, "'X', the element to write, has no value");
  const Parts parts = parts_of(context, name, array, element);
  const auto sequence = [&](const char* type, const Operands& operands) {
    return context.as_sequence(op.node(type, operands));
  };
  /// The same for the array and for those of lengths.
  const auto each = [&](const std::function<Value(Value array, Value x)>& write) {
    Values written;
    for (size_t i = 0; i < parts.arrays.size(); ++i) {
      written.push_back(parts.arrays[i] ? write(parts.arrays[i], parts.added[i]) : Value());
    }
    return written;
  };
  const auto give = [&](const Values& written) {
    context.set_output("Out", written.front());
    if (written.size() > 1) context.set_lod("Out", Lod(written.begin() + 1, written.end()), 0);
  };
  if (const auto elements = elements_of(context, array.value)) {
    if (const auto at = known_index(op, index, elements->size() + 1)) {
      return give(each([&](Value before, Value x) {
        Values known = *elements_of(context, before);
        if (*at == known.size()) known.push_back(x);
        else known[*at] = x;
        return sequence("SequenceConstruct", Operands(known.begin(), known.end()));
      }));
    }
  }
  if (is_length(context, index, parts.arrays.front())) {
    return give(each([&](Value before, Value x) { return sequence("SequenceInsert", {before, x}); }));
  }
  const Value at = as_scalar(op, index);
  const Value length = op.node("SequenceLength", {parts.arrays.front()});
  const auto without_absent = [&](Values written) {
    std::erase_if(written, [](Value v) { return !v; });
    return written;
  };
  const Values after = op.if_else(
      op.node("Less", {at, length}),
      [&] {
        return without_absent(each([&](Value before, Value x) {
          return sequence("SequenceInsert", {sequence("SequenceErase", {before, at}), x, at});
        }));
      },
      [&] {
        return without_absent(each([&](Value before, Value x) { return sequence("SequenceInsert", {before, x, at}); }));
      });
  size_t next = 0;
  give(each([&](Value, Value) { return after[next++]; }));
}

void read_from_array(OpContext& op) {
  BlockContext& context = block_context(op);
  const Value array = op.input("X"), index = context.required_input("I");
  if (array && !op.is_sequence(array) && op.lod_level("X") == 2) {
    // Rows of steps, whose bounds are given by step.
    const Value at = op.node("Reshape", {index, Ints{1}});
    const auto bound = [&](int64_t which) {
      return op.node("Gather", {op.lengths("X", which), at}, {Attr("axis", 0)});
    };
    op.set_output("Out", op.node("Slice", {array, bound(0), bound(1), Ints{0}}));
    op.set_lod("Out", {}, 0);
    return;
  }
  const Lod arrays = context.held(context.op().input("X", 0)).lod;
  const auto elements = elements_of(context, array);
  const auto known = elements ? known_index(op, index, elements->size()) : std::nullopt;
  const auto read = [&](Value from) {
    // Of lengths that come from elsewhere, the elements need not be known.
    if (const auto each = elements_of(context, from); known && each) return each->at(*known);
    return op.node("SequenceAt", {from, as_scalar(op, index)});
  };
  op.set_output("Out", read(array));
  Lod lod;
  for (const Value lengths : arrays) lod.push_back(lengths ? context.as_lengths(read(lengths)) : lengths);
  if (!lod.empty()) op.set_lod("Out", lod, 0);
}

void lod_array_length(OpContext& op) {
  BlockContext& context = block_context(op);
  const Value array = context.value_of(context.op().input("X", 0));
  if (const auto elements = elements_of(context, array)) {
    op.set_output("Out", Ints{static_cast<int64_t>(elements->size())});
    return;
  }
  const Value length = op.node("SequenceLength", {array});
  op.set_output("Out", op.node("Reshape", {length, Ints{1}}));
}

void tensor_array_to_tensor(OpContext& op) {
  BlockContext& context = block_context(op);
  if (op.used("OutIndex")) op.refuse(E_UNSUPPORTED, "'OutIndex', the sizes of a tensor array's elements, is read");
  const int64_t axis = op.attr_int("axis", 0);
  const bool stack = op.attr_bool("use_stack", false);
  const Value array = op.input("X");
  if (array && !op.is_sequence(array) && stack) {
    // What a loop collected is stacked along the first axis.
    if (axis == 0) return op.set_output("Out", array);
    const int64_t rank = op.rank(context.with_declared_rank(array, context.op().output("Out", 0)));
    Ints order;
    for (int64_t i = 1; i < rank; ++i) order.push_back(i);
    order.insert(order.begin() + (axis < 0 ? axis + rank : axis), 0);
    return op.set_output("Out", op.node("Transpose", {array}, {Attr("perm", order)}));
  }
  const auto elements = elements_of(context, array);
  if (!elements) {
    const Value joined = op.node("ConcatFromSequence", {array}, {Attr("axis", axis), Attr("new_axis", stack)});
    op.set_output("Out", context.with_declared_rank(joined, context.op().output("Out", 0)));
    return;
  }
  if (elements->empty()) op.refuse(E_BAD_PROGRAM, "the tensor array is empty");
  Operands parts;
  for (const Value v : *elements) {
    if (!stack) parts.push_back(v);
    else if (op.opset() < kAxesAreOperands) parts.push_back(op.node("Unsqueeze", {v}, {Attr("axes", Ints{axis})}));
    else parts.push_back(op.node("Unsqueeze", {v, Ints{axis}}));
  }
  op.set_output("Out", op.node("Concat", parts, {Attr("axis", axis)}));
}

}  // namespace fluid2onnx::natives

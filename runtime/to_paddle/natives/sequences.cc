// Sequences of tensors. Sequences whose elements are known one by one need no operators; others are tensor arrays.
#include <algorithm>

#include "runtime/onnx/graph/sign.h"
#include "runtime/paddle/program/make_op.h"
#include "runtime/support/refused.h"
#include "runtime/to_paddle/arrays.h"
#include "runtime/to_paddle/natives/natives.h"

namespace fluid2onnx::natives {
namespace {

/// The tensors of a sequence. Refuses a dynamic sequence.
Values tensors_of(FluidContext& context, Value sequence) {
  if (auto tensors = known_tensors(context, sequence)) return *std::move(tensors);
  throw Refused(E_UNSUPPORTED,
                "a dynamic sequence is changed other than at its end; Paddle's tensor arrays only overwrite elements "
                "and grow at their end");
}

/// A position among `size`, counted from the end if it is negative; `otherwise` if it is not given.
std::ptrdiff_t position(FluidContext& context, size_t size, int64_t otherwise) {
  int64_t at = otherwise;
  if (const Value given = context.has("position") ? context.input("position") : Value()) {
    if (!context.is_const(given)) context.refuse(E_NOT_CONSTANT, "the position in a sequence must be a constant");
    at = context.const_ints(given).at(0);
  }
  const auto n = static_cast<int64_t>(size);
  if (at < -n || at > n)
    context.refuse(E_INDEX,
                   "position " + std::to_string(at) + " is out of range for a sequence of " + std::to_string(n));
  return static_cast<std::ptrdiff_t>(at < 0 ? at + n : at);
}

/// The position of a node that is known while converting, or not given.
bool is_position_known(FluidContext& context) {
  return !context.has("position") || context.is_const(context.input("position"));
}

/// The number of tensors in an array, of shape [1].
std::string length_of(FluidContext& context, const std::string& array) {
  ProgramBuilder& builder = context.builder();
  const std::string length = builder.free_name("length");
  builder.declare(length, VariableKind::tensor, Dtype::int64, Shape{1});
  builder.append(make_op("lod_array_length", {{"X", {array}}}, {{"Out", {length}}}));
  return length;
}

/// The same as a value without axes.
Value length_value(FluidContext& context, Value sequence) {
  ProgramBuilder& builder = context.builder();
  const Value length = builder.model().new_value("length");
  builder.model().set_type(length, tensor_type(Dtype::int64, Ints{1}));
  builder.bind(length_of(context, array_of(context, sequence)), length);
  return context.node("Reshape", {length, Operand(Ints())});
}

/// True if the node inserts at the end of its sequence.
bool appends(FluidContext& context) {
  if (!context.has("position")) return true;
  const onnx::NodeProto* node = context.sequences().current_node();
  if (!node || node->input_size() < 3) return false;
  return gives_length(context.sequences().producer(node->input(2)), node->input(0));
}

/// The size of all slices, if the sizes are not listed.
int64_t slice_size(FluidContext& context) {
  if (!context.has("split")) return 1;
  const Value split = context.input("split");
  if (!context.is_const(split)) context.refuse(E_NOT_CONSTANT, "the sizes of 'split' must be constants");
  const int64_t size = context.const_ints(split).at(0);
  if (size < 1) context.refuse(E_SHAPE, "the size of 'split' is " + std::to_string(size) + "; expected at least 1");
  return size;
}

/// Elements [from, end) along an axis.
Value slice_along(FluidContext& context, Value x, int64_t axis, const Operand& from, const Operand& end) {
  return context.node("Slice", {x, from, end, Operand(Ints{axis})});
}

/// Slices of the listed sizes, which may be dynamic.
Values listed_slices(FluidContext& context, Value x, int64_t axis, Value split) {
  const Dim count = context.dim(split, 0);
  if (!count.known()) context.refuse(E_UNKNOWN_LENGTH, "the number of sizes in 'split' is unknown");
  Values parts;
  Value from = context.tensor(Operand(Constant{Ints{0}, {1}, Dtype::int64}));
  const Value sizes = context.node("Cast", {split}, {{"to", Dtype::int64}});
  for (int64_t i = 0; i < count.known_value; ++i) {
    // Not `end + size`: Paddle 3's predictor adds in place, although a later slice reads `end`.
    const Value before = slice_along(context, sizes, 0, Ints{0}, Ints{i + 1});
    const Value end = context.node("ReduceSum", {before}, {{"keepdims", int64_t{1}}});
    parts.push_back(slice_along(context, x, axis, from, end));
    from = end;
  }
  return parts;
}

/// An unknown number of slices of a given size: an array that a loop fills.
Value dynamic_slices(FluidContext& context, Value x, int64_t axis, int64_t size, bool squeeze) {
  const auto number = [&](int64_t n) { return context.tensor(Operand(Constant{Ints{n}, {}, Dtype::int64})); };
  const Value whole = context.tensor(Operand(context.dim(x, axis)), Dtype::int64);
  const Value more = context.node("Add", {whole, number(size - 1)});
  const Value count = context.node("Div", {more, number(size)});
  return fill_array(context, count, context.dtype(x), [&](Value i) {
    const Value at = context.node("Mul", {i, number(size)});
    const Value from = context.node("Reshape", {at, Operand(Ints{1})});
    const Value end = context.node("Add", {from, number(size)});
    const Value part = slice_along(context, x, axis, from, end);
    return squeeze ? context.node("Squeeze", {part, Operand(Ints{axis})}) : part;
  });
}

/// An element of an array.
Value element(FluidContext& context, Value sequence) {
  ProgramBuilder& builder = context.builder();
  Value at = context.node("Reshape", {context.input("position"), Operand(Ints())});
  const Value tensor = context.node("SequenceAt", {sequence, at});
  const std::string array = array_of(context, sequence);
  const bool from_behind =
      context.is_const(at) ? context.const_ints(at).at(0) < 0 : !never_negative(builder.model(), at);
  // Paddle's kernel reads 64 bits, whatever it is given.
  if (context.dtype(at) != Dtype::int64) at = context.node("Cast", {at}, {{"to", Dtype::int64}});
  if (from_behind) {
    const Value zero = context.tensor(Operand(Constant{Ints{0}, {}, Dtype::int64}));
    const Value from_end = context.node("Add", {at, length_value(context, sequence)});
    at = context.node("Where", {context.node("Less", {at, zero}), from_end, at});
  }
  const std::string variable = builder.new_variable("element", tensor);
  builder.append(make_op("read_from_array", {{"X", {array}}, {"I", {builder.variable(at)}}}, {{"Out", {variable}}}));
  builder.bind(variable, tensor);
  return tensor;
}

/// The tensors of an array, concatenated or stacked.
Value concatenate(FluidContext& context, Value sequence, int64_t axis, bool stack) {
  ProgramBuilder& builder = context.builder();
  // Paddle counts from the front only.
  if (axis < 0) {
    const auto& element = builder.model()[sequence].type().sequence_type().elem_type().tensor_type();
    if (!element.has_shape()) {
      context.refuse(E_UNKNOWN_RANK, "the tensors of a sequence are concatenated along axis " + std::to_string(axis) +
                                         ", but their rank is unknown");
    }
    axis += element.shape().dim_size() + (stack ? 1 : 0);
  }
  const Value result = context.node("ConcatFromSequence", {sequence}, {{"axis", axis}, {"new_axis", int64_t{stack}}});
  const std::string array = array_of(context, sequence);
  const std::string variable = builder.new_variable("joined", result);
  join_array(builder, array, variable, builder.free_name("sizes"), axis, stack);
  builder.bind(variable, result);
  return result;
}

}  // namespace

void sequence_construct(OpContext& op) {
  FluidContext& context = fluid_context(op);
  context.set_output("output_sequence", sequence_of(context, context.inputs("inputs")));
}

void sequence_empty(OpContext& op) {
  FluidContext& context = fluid_context(op);
  context.set_output("output", sequence_of(context, {}, context.attr_dtype("dtype", Dtype::float32)));
}

void sequence_insert(OpContext& op) {
  FluidContext& context = fluid_context(op);
  const Value sequence = context.input("input_sequence"), x = context.input("tensor");
  if (appends(context) && !known_tensors(context, sequence)) {
    ProgramBuilder& builder = context.builder();
    const Value longer = longer_sequence(context, sequence, x);
    const std::string tensor = builder.variable(x), array = array_to_write(context, sequence);
    write_to_array(builder, array, tensor, length_of(context, array));
    builder.bind(array, longer);
    return context.set_output("output_sequence", longer);
  }
  Values tensors = tensors_of(context, sequence);
  const auto at = position(context, tensors.size(), static_cast<int64_t>(tensors.size()));
  tensors.insert(tensors.begin() + at, x);
  context.set_output("output_sequence", sequence_of(context, tensors));
}

void sequence_erase(OpContext& op) {
  FluidContext& context = fluid_context(op);
  Values tensors = tensors_of(context, context.input("input_sequence"));
  if (tensors.empty()) context.refuse(E_INDEX, "an empty sequence has no elements to read");
  const Dtype dtype = context.dtype(tensors.front());
  const auto last = static_cast<std::ptrdiff_t>(tensors.size()) - 1;
  tensors.erase(tensors.begin() + std::min(position(context, tensors.size(), last), last));
  context.set_output("output_sequence", sequence_of(context, tensors, dtype));
}

void sequence_at(OpContext& op) {
  FluidContext& context = fluid_context(op);
  const Value sequence = context.input("input_sequence");
  const auto known = known_tensors(context, sequence);
  if (!known || !is_position_known(context)) return context.set_output("tensor", element(context, sequence));
  const Values& tensors = *known;
  const auto at = static_cast<size_t>(position(context, tensors.size(), 0));
  if (at >= tensors.size())
    context.refuse(E_INDEX, "position " + std::to_string(at) + " is out of range for a sequence of " +
                                std::to_string(tensors.size()));
  context.set_output("tensor", tensors[at]);
}

void sequence_length(OpContext& op) {
  FluidContext& context = fluid_context(op);
  const Value sequence = context.input("input_sequence");
  const auto tensors = known_tensors(context, sequence);
  if (!tensors) return context.set_output("length", length_value(context, sequence));
  const auto size = static_cast<int64_t>(tensors->size());
  context.set_output("length", context.tensor(Operand(Constant{Ints{size}, {}, Dtype::int64})));
}

void split_to_sequence(OpContext& op) {
  FluidContext& context = fluid_context(op);
  const Value x = context.input("input");
  const int64_t rank = context.rank(x), given = context.attr_int("axis", 0), axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank)
    context.refuse(E_AXIS, "axis " + std::to_string(given) + " is out of range for rank " + std::to_string(rank));
  const Dim whole = context.dim(x, axis);
  Values parts;
  if (context.has("split") && context.rank(context.input("split")) > 0) {
    parts = listed_slices(context, x, axis, context.input("split"));
  } else {
    const bool squeeze = !context.has("split") && context.attr_int("keepdims", 1) == 0;
    const int64_t size = slice_size(context);
    if (!whole.known()) {
      return context.set_output("output_sequence", dynamic_slices(context, x, axis, size, squeeze));
    }
    for (int64_t from = 0; from < whole.known_value; from += size) {
      parts.push_back(slice_along(context, x, axis, Ints{from}, Ints{std::min(from + size, whole.known_value)}));
      if (squeeze) parts.back() = context.node("Squeeze", {parts.back(), Operand(Ints{axis})});
    }
  }
  context.set_output("output_sequence", sequence_of(context, parts, context.dtype(x)));
}

void concat_from_sequence(OpContext& op) {
  FluidContext& context = fluid_context(op);
  const Value sequence = context.input("input_sequence");
  const bool stack = context.attr_int("new_axis", 0) != 0;
  const auto known = known_tensors(context, sequence);
  if (!known) {
    return context.set_output("concat_result", concatenate(context, sequence, context.attr_int("axis", 0), stack));
  }
  const Values& tensors = *known;
  if (tensors.empty()) context.refuse(E_SHAPE, "an empty sequence cannot be concatenated");
  const Operands operands(tensors.begin(), tensors.end());
  context.set_output("concat_result", context.fluid(stack ? "stack" : "concat", {{"X", operands}},
                                                    {{"axis", context.attr_int("axis", 0)}}));
}

}  // namespace fluid2onnx::natives

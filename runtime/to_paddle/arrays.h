// Sequences as tensor arrays of the program, if their tensors are not known one by one.
//
// A sequence is an immutable value, but an array is written in place. An operator that adds a tensor to a sequence
// writes to its array if the old sequence is not read again, else to a copy.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/to_paddle/fluid_context.h"

namespace fluid2onnx::natives {

/// The tensors of a sequence, if they are known one by one.
std::optional<Values> known_tensors(FluidContext& context, Value sequence);

/// A sequence of tensors that are known one by one; of the dtype where there are none.
Value sequence_of(FluidContext& context, const Values& tensors, Dtype dtype = Dtype::float32);

/// The array of a sequence, for reading.
std::string array_of(FluidContext& context, Value sequence);
/// An array with the elements of the sequence, for writing.
std::string array_to_write(FluidContext& context, Value sequence);
/// The same if the current node has the sequence as several operands, which count as one use.
std::string array_to_write_of_all(FluidContext& context, Value sequence);

/// Paddle's write_to_array: sets an element of an array. All arguments are variables.
void write_to_array(ProgramBuilder& builder, const std::string& array, const std::string& tensor,
                    const std::string& at);
/// Paddle's tensor_array_to_tensor: concatenates or stacks the elements of an array; `sizes` is a new name.
void join_array(ProgramBuilder& builder, const std::string& array, const std::string& joined, const std::string& sizes,
                int64_t axis, bool stack);

/// True if the node computes the length of the sequence of that name.
bool gives_length(const onnx::NodeProto* node, const std::string& sequence);

/// The result of SequenceInsert; without a position, at the end.
Value longer_sequence(FluidContext& context, Value sequence, Value tensor, Value position = Value());

/// A sequence of tensors, each made by `element` from its index.
Value fill_array(FluidContext& context, Value count, Dtype dtype, const std::function<Value(Value number)>& element);

/// The results of an If whose branches replace or append elements of sequences: to_onnx converts Paddle's
/// write_to_array to it. Nothing for any other If.
std::optional<Values> convert_conditional_writes(FluidContext& context);

}  // namespace fluid2onnx::natives

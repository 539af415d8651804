// Sequences that are arrays of the program: those whose tensors are not known one by one.
//
// A sequence is a value and never changes; an array is written in place. So what puts a tensor into a sequence takes
// the array over if the old sequence is not read again, and a copy of it otherwise.
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

/// The array that holds a sequence, to be read.
std::string array_of(FluidContext& context, Value sequence);
/// An array that holds the sequence until it is written to.
std::string array_to_write(FluidContext& context, Value sequence);
/// The same where the current node has the sequence in several places, which are one use.
std::string array_to_write_of_all(FluidContext& context, Value sequence);

/// Paddle's write_to_array: puts a tensor at a place of an array, all by their variables.
void write_to_array(ProgramBuilder& builder, const std::string& array, const std::string& tensor,
                    const std::string& at);
/// Paddle's tensor_array_to_tensor: the elements of an array behind each other, or stacked; `sizes` is a new name.
void join_array(ProgramBuilder& builder, const std::string& array, const std::string& joined, const std::string& sizes,
                int64_t axis, bool stack);

/// Whether a node gives the length of the sequence of that name.
bool gives_length(const onnx::NodeProto* node, const std::string& sequence);

/// The sequence that SequenceInsert gives; at the end if there is no position.
Value longer_sequence(FluidContext& context, Value sequence, Value tensor, Value position = Value());

/// A sequence of tensors, each made by `element` from its index.
Value fill_array(FluidContext& context, Value count, Dtype dtype, const std::function<Value(Value number)>& element);

/// The results of an If whose branches replace or append elements of sequences: this project's form of Paddle's
/// write_to_array. Nothing for any other If.
std::optional<Values> run_writes(FluidContext& context);

}  // namespace fluid2onnx::natives

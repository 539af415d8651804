// Sizes that a program declares for its variables.
#pragma once

#include <functional>
#include <string>

#include "runtime/onnx/graph/graph.h"
#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// True if the sizes that the program declares for the operator's results are those at run time.
///
/// Declared sizes can be wrong: Paddle declares as many boxes after a suppression as before it, ignores tensors that
/// override attributes, and computes with -1 as if it were a size. Inference over the emitted nodes takes precedence.
/// The declaration counts only if the operator's sizes follow from its operands' sizes, which are all known and
/// declared as they are. `value_of` returns the value of an operand.
bool declares_sizes(const Program& program, const Model& model, const Op& op,
                    const std::function<Value(const std::string&)>& value_of);

/// The type of a tensor array. The shapes of the elements are unknown.
onnx::TypeProto array_type(Dtype dtype);
/// The type that a variable declares. Paddle leaves some sizes uninitialized: those above 2^31 are unknown.
onnx::TypeProto declared_type(const Variable& declared);

/// Sets the sizes of a value of known dtype to those that a variable declares, unless they contradict known sizes.
void take_declared_sizes(Model& model, Value value, const Variable& declared);

}  // namespace fluid2onnx

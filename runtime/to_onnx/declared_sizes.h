// What a program's declarations may be trusted with.
#pragma once

#include <functional>
#include <string>

#include "runtime/onnx/graph/graph.h"
#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// True if the sizes that the program declares for the operator's results are those at run time.
///
/// An output's declared shape is a promise. Paddle declares sizes that it cannot know: the boxes that go into a
/// suppression for those that it leaves, the attribute of an operator that takes the value from a tensor, and what -1
/// gives in arithmetic (the product of two unknown sizes is 1). So inference over the emitted nodes takes precedence,
/// and the program is believed only where nothing of that can happen: the operator's sizes follow from its operands'
/// alone, all of these are known, and the program declares them as they are. `value_of` gives an operand's value.
bool declares_sizes(const Program& program, const Model& model, const Op& op,
                    const std::function<Value(const std::string&)>& value_of);

/// Gives a value of known dtype the sizes that a variable declares, where it has none and they do not contradict.
void take_declared_sizes(Model& model, Value value, const Variable& declared);

}  // namespace fluid2onnx

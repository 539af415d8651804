// Tensor arrays of a loop, as DynamicRNN and lists of Python write them.
//
// An array that iteration i reads at i and writes at i + 1 is a state: the loop carries its element. An array that
// iteration i writes at i, or appends to, is a result: the loop collects the elements if they have one shape. Neither
// needs an ONNX sequence.
#pragma once

#include <optional>
#include <vector>

#include "runtime/to_onnx/control_flow.h"

namespace fluid2onnx::natives {

struct LoopArrays {
  /// The variable that is 0 before the loop and that each iteration increments once; "" if missing.
  std::string step;
  /// The number of iterations, if it depends only on `step`.
  Value iterations;

  struct State {
    std::string array;
    Strings read;         ///< variables that hold the element in an iteration
    std::string written;  ///< the variable that is the element of the next iteration
    ValueWithLod start;
  };
  std::vector<State> states;

  struct Result {
    std::string array;
    std::string written;
    /// Sequence lengths in descending order, if array_to_lod_tensor reads the array; absent if tensor_array_to_tensor
    /// stacks it. Sequences that have ended have no rows in an iteration.
    Value lengths;
    Value own_lengths;  ///< the same lengths, in the order of the sequences
  };
  std::vector<Result> results;

  bool any() const { return !states.empty() || !results.empty(); }
  bool has(const std::string& array) const;
};

/// What is known about the loop with the body `body`.
LoopArrays loop_arrays(BlockContext& context, int32_t body);

// Elements of tensor arrays. An array whose elements are divided into sequences has arrays beside it with the lengths
// of each element, one for each level.

/// The elements if they are known one by one. An array that was never written has none.
std::optional<Values> elements_of(BlockContext& context, Value array);
/// The lengths of an array whose elements are not divided into sequences. Refuses unless they are known one by one.
Value no_lengths(BlockContext& context, Value array);

}  // namespace fluid2onnx::natives

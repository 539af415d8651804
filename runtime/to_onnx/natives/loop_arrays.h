// Tensor arrays of a loop, as DynamicRNN and lists of Python write them.
//
// An array that each iteration reads at its number, and writes at the next one, is a state: the loop carries its
// element. An array that each iteration writes at its number, or at its end, is a result: the loop collects the
// elements if they have one shape. Neither needs an ONNX sequence.
#pragma once

#include <vector>

#include "runtime/to_onnx/control_flow.h"

namespace fluid2onnx::natives {

struct LoopArrays {
  /// The variable that is 0 before the loop and that each iteration increments once; "" if missing.
  std::string step;
  /// As many iterations there are, if nothing but `step` decides it.
  Value iterations;

  struct State {
    std::string array;
    Strings read;         ///< variables that hold the element in an iteration
    std::string written;  ///< the variable that is the element of the next iteration
    Held start;
  };
  std::vector<State> states;

  struct Result {
    std::string array;
    std::string written;
    /// If it is made a tensor of sequences: their lengths, from the longest on. Those that are over have no rows in a
    /// iteration. Absent if it is stacked.
    Value lengths;
    Value own_lengths;  ///< the same in the order of the sequences
  };
  std::vector<Result> results;

  bool any() const { return !states.empty() || !results.empty(); }
  bool has(const std::string& array) const;
};

/// What is known about the loop with the body `body`.
LoopArrays loop_arrays(BlockContext& context, int32_t body);

}  // namespace fluid2onnx::natives

// Control flow of programs: a loop as a while, a branch as two conditional blocks and a choice.
//
// Both also emit their counterpart into the scratch model, so that results have types.
#pragma once

#include <functional>

#include "runtime/to_paddle/fluid_context.h"

namespace fluid2onnx::natives {

/// What one iteration gives.
struct Iteration {
  Value cond;      ///< whether another iteration follows; absent: yes
  Values carried;  ///< the new state
  Values slices;   ///< one of each collected result
};
using Iterate = std::function<Iteration(Value iteration, const Values& inside)>;

/// A while loop of at most `trips` iterations (absent: any number), as long as `condition` (absent: always) holds.
/// Gives the last state, then the collected slices, stacked.
Values emit_loop(FluidContext& context, Value trips, Value condition, const Values& carried, const Iterate& iterate);

/// The results of one of two branches, selected by `condition`.
Values emit_if(FluidContext& context, Value condition, const std::function<Values()>& then_branch,
               const std::function<Values()>& else_branch);

}  // namespace fluid2onnx::natives

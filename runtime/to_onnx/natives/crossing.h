// How variables go in and out of the bodies of Loop and If: as tensors, and with them the lengths of their sequences,
// if these are not the same everywhere.
#pragma once

#include <vector>

#include "runtime/to_onnx/control_flow.h"

namespace fluid2onnx::natives {

/// A tensor of one element as a 0-D tensor, which ONNX requires of conditions, trip counts and positions.
Value as_scalar(OpContext& op, Value one_element);

/// The lengths of a tensor's sequences at a level, also where there is one sequence or none.
Value tensor_lengths(BlockContext& context, const Held& held, size_t level);

class Crossing {
 public:
  /// To be made outside of the bodies. No value has LoD until plan() sets it.
  Crossing(BlockContext& context, size_t variables);

  /// What a variable holds at two ends: before a loop and after an iteration, or after either branch. An end without a
  /// value has no say.
  struct Ends {
    Held one, other;
  };
  /// Plans for what variables hold. True if all went by this plan already; else what was emitted has to be undone.
  bool plan(const std::vector<Ends>& ends);

  /// Values, and then the lengths that differ. An end without lengths returns placeholders that are never read.
  Values pack(const std::vector<Held>& all);
  std::vector<Held> unpack(const Values& packed) const;

 private:
  struct Level {
    bool crosses = false;
    Value same;  ///< if it does not
    friend bool operator==(const Level&, const Level&) = default;
  };
  struct Variable {
    std::vector<Level> levels;
    bool given_up = false;  ///< the numbers of levels do not agree
    friend bool operator==(const Variable&, const Variable&) = default;
  };
  Variable planned(const Variable& before, const Ends& ends) const;
  Value lengths(const Held& held, size_t level);

  BlockContext& context_;
  GraphId outside_;
  std::vector<Variable> variables_;
};

}  // namespace fluid2onnx::natives

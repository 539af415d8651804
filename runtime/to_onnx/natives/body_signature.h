// Which tensors enter and leave the bodies of Loop and If for a list of variables: their values, and the lengths of
// their sequences if these change.
#pragma once

#include <vector>

#include "runtime/to_onnx/control_flow.h"

namespace fluid2onnx::natives {

/// A tensor of one element as a 0-D tensor, which ONNX requires of conditions, trip counts and positions.
Value as_scalar(OpContext& op, Value one_element);

/// The lengths of a tensor's sequences at a level, also where there is one sequence or none.
Value tensor_lengths(BlockContext& context, const ValueWithLod& held, size_t level);

class BodySignature {
 public:
  /// To be made outside of the bodies. No value has LoD until merge() sets it.
  BodySignature(BlockContext& context, size_t variables);

  /// Adds what variables hold before a loop and after an iteration, or after either branch. A missing value does not
  /// count. False if the signature changes: what was emitted with it must be undone.
  bool merge(const std::vector<ValueWithLod>& before, const std::vector<ValueWithLod>& after);

  /// Values, and then the lengths that are passed. A variable without lengths passes placeholders that are never read.
  Values pack(const std::vector<ValueWithLod>& all);
  std::vector<ValueWithLod> unpack(const Values& packed) const;

 private:
  struct Level {
    bool passed = false;
    Value same;  ///< the lengths everywhere, if they are not passed
    friend bool operator==(const Level&, const Level&) = default;
  };
  struct Variable {
    std::vector<Level> levels;
    bool given_up = false;  ///< the numbers of levels do not agree
    friend bool operator==(const Variable&, const Variable&) = default;
  };
  Variable merged(const Variable& known, const ValueWithLod& before, const ValueWithLod& after) const;
  Value lengths(const ValueWithLod& held, size_t level);

  BlockContext& context_;
  GraphId outside_;
  std::vector<Variable> variables_;
};

}  // namespace fluid2onnx::natives

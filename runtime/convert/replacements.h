// Functions of opspecs/lib/ that replace ONNX nodes which an engine does not run.
#pragma once

#include <string>
#include <string_view>

#include "runtime/convert/op_context.h"

namespace fluid2onnx {

/// A node that was not emitted: its operands, and attributes in the form of the opset.
struct ReplacedNode {
  OpContext& op;
  const Values& operands;
  const Attrs& attrs;

  /// Absent behind the last one.
  Value operand(size_t index) const { return index < operands.size() ? operands[index] : Value(); }
  int64_t integer(std::string_view name, int64_t default_value = 0) const;
  double floating(std::string_view name, double default_value = 0.0) const;
  std::string string(std::string_view name, const std::string& default_value = "") const;
  Floats floats(std::string_view name) const;
  /// An attribute, or the elements of a constant operand; none if the node has neither.
  Ints integers(std::string_view name, size_t operand_index = SIZE_MAX) const;
};

struct Replacement {
  std::string_view op;
  int since;                    ///< the operator means something else before this opset
  std::string_view parameters;  ///< the operands and attributes that the function takes, separated by spaces
  std::string_view constants;   ///< positions of operands that must be constants
  Value (*replace)(const ReplacedNode& node);
};

/// Null if no function replaces nodes of the operator.
const Replacement* find_replacement(std::string_view op);

}  // namespace fluid2onnx

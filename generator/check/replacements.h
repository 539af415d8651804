// Functions of the library that replace nodes of an ONNX operator.
#pragma once

#include "generator/check/program.h"

namespace opgen {

/// Checks that each such function has one tensor as its result, and operands and attributes of the operator as
/// parameters. No two functions may replace the same operator.
void check_replacements(const CheckedProgram& program, const OnnxModel& onnx, Diagnostics& diagnostics);

/// Where the value of a parameter is in a node.
struct ReplacedParameter {
  int operand = -1;  ///< its position; -1: it is an attribute only
  const OnnxAttr* attribute = nullptr;
};
ReplacedParameter replaced_parameter(const OnnxGroup& group, const std::string& name);

}  // namespace opgen

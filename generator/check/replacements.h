// Functions of the library that replace nodes of an ONNX operator.
#pragma once

#include "generator/check/program.h"

namespace opgen {

/// The function has one tensor as its result, and parameters that are operands and attributes of the operator. No two
/// functions replace the same operator.
void check_replacements(const CheckedProgram& program, const OnnxModel& onnx, Diagnostics& diagnostics);

/// Where the value of a parameter is in a node.
struct ReplacedParameter {
  int operand = -1;  ///< its position; -1: it is an attribute only
  const OnnxAttr* attribute = nullptr;
};
ReplacedParameter replaced_parameter(const OnnxGroup& group, const std::string& name);

}  // namespace opgen

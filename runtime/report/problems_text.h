// The problems of a model as text for people.
#pragma once

#include <string>
#include <vector>

#include "runtime/support/problem.h"

namespace fluid2onnx {

/// The text of all problems: first unsupported operators by type, with counts and lines, then the others by message.
/// Ends with a newline unless empty. `working_opset`: that of the report.
std::string problems_text(const std::vector<Problem>& problems, int opset, int working_opset);

}  // namespace fluid2onnx

// The problems of a model as text for people.
#pragma once

#include <string>
#include <vector>

#include "runtime/support/problem.h"

namespace fluid2onnx {

/// The text of all problems: first unsupported operators by type, with counts and lines, then the others by message.
/// Ends with a newline unless empty. `lowest_opset`: the lowest opset at which the whole model converts, or 0.
std::string problems_text(const std::vector<Problem>& problems, int opset, int lowest_opset);

}  // namespace fluid2onnx

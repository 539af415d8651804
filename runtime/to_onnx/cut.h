// Finds where to cut a Paddle model that can be converted only in part.
#pragma once

#include <vector>

#include "runtime/paddle/program/program.h"
#include "runtime/report/convert_options.h"
#include "runtime/report/cut.h"
#include "runtime/support/problem.h"

namespace fluid2onnx {

/// The largest part of the model that converts: the outputs that need no failing operator, and the values that the
/// first failing operators read. It has been tried: the cut model converts.
Cut cut_before(const std::vector<Problem>& problems, const Program& program, const ConvertOptions& options);

}  // namespace fluid2onnx

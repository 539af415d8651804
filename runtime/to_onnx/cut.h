// Finds where to cut a Paddle model that can be converted only in part.
#pragma once

#include <vector>

#include "runtime/paddle/program/program.h"
#include "runtime/report/convert_options.h"
#include "runtime/report/cut.h"
#include "runtime/support/problem.h"

namespace fluid2onnx {

/// The part of the model that needs none of the operators that cannot be converted, as large as it gets: outputs that
/// do without them, and what the first of them read. It has been tried: the cut model converts.
Cut cut_before(const std::vector<Problem>& problems, const Program& program, const ConvertOptions& options);

}  // namespace fluid2onnx

// Checks that names in target files are those of ONNX: operators, type variables, dtypes, operands, results,
// attributes.
#pragma once

#include <vector>

#include "generator/check/onnx_model.h"
#include "generator/spec/targets.h"

namespace opgen {

void check_targets(const std::vector<TargetFile>& targets, const OnnxModel& onnx, Diagnostics& diagnostics);

}  // namespace opgen

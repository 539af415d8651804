// Checked specs in lowered form.
#pragma once

#include "generator/lower/form.h"

namespace opgen::lowered {

/// Nothing in a checked program can fail here.
Program lower(const CheckedProgram& program, const OnnxModel& onnx);

/// For people and tests; of one operator and what it calls if `op` is not empty.
std::string dump(const Program& program, const std::string& op = "");

}  // namespace opgen::lowered

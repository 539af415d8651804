// The table of functions that replace nodes of ONNX operators.
#pragma once

#include <nlohmann/json.hpp>

#include "generator/check/onnx_model.h"
#include "generator/lower/form.h"

namespace opgen::cpp {

/// For replacements.cc.mustache.
nlohmann::json replacements_data(const lowered::Program& program, const OnnxModel& onnx);

}  // namespace opgen::cpp

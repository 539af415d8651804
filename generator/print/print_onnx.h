// What the runtime needs to know to read ONNX's operators and to write Paddle's.
#pragma once

#include <nlohmann/json.hpp>

#include "generator/check/onnx_model.h"
#include "generator/lower/form.h"
#include "generator/spec/facts.h"

namespace opgen {

/// For onnx_registry.cc.mustache: the converters of ONNX's operators with the slots of each, and the slots and
/// attributes of those operators of Paddle that recipes emit.
nlohmann::json onnx_registry_data(const lowered::Program& program, const OnnxModel& onnx, const Facts& facts);

}  // namespace opgen

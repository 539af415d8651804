// Tables with which the runtime reads ONNX operators and writes Paddle operators.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "generator/check/onnx_model.h"
#include "generator/lower/form.h"
#include "generator/spec/facts.h"

namespace opgen {

/// Rows of tables: the converters of ONNX's operators, in their order, with the slots of each.
std::vector<std::string> onnx_rows(const lowered::Program& program, const OnnxModel& onnx);

/// For onnx_registry.cc.mustache: the tables of the units, and the slots and attributes of those operators of
/// Paddle that recipes emit.
nlohmann::json onnx_registry_data(const lowered::Program& program, const Facts& facts, nlohmann::json tables);

}  // namespace opgen

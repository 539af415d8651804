// The examples of ONNX's operators: the versions that can express each one, and JSON for the runner.
#pragma once

#include <nlohmann/json.hpp>

#include "generator/check/onnx_model.h"
#include "generator/spec/facts.h"
#include "generator/spec/spec.h"

namespace opgen {

/// Diagnoses examples that ONNX's schemas do not allow: slots, attributes, element types and opsets.
void check_onnx_examples(const SpecSet& specs, const OnnxModel& onnx, const Facts& facts, Diagnostics& diagnostics);

/// An object for each operator and example, with a node for each version of the operator that can say it;
/// tests/conformance tells what is in it.
nlohmann::json onnx_examples_json(const SpecSet& specs, const OnnxModel& onnx, const Facts& facts);

}  // namespace opgen

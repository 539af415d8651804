// The JSON schema of specs, from the table of keys.
#pragma once

#include <map>
#include <string>

#include "generator/check/onnx_model.h"
#include "generator/spec/facts.h"

namespace opgen {

/// opspecs/spec.schema.json, as committed.
std::string schema_of_keys();

/// The file by its path below the output folder; editors complete the names of the facts.
std::map<std::string, std::string> render_schema(const Facts& facts, const OnnxModel& onnx);

}  // namespace opgen

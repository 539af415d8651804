// opspecs/spec.schema.json with the names of the facts, which editors then offer.
#pragma once

#include <map>
#include <string>

#include "generator/check/onnx_model.h"
#include "generator/spec/facts.h"

namespace opgen {

/// The file by its path below the output folder. `schema` is the text of opspecs/spec.schema.json.
std::map<std::string, std::string> render_schema(const std::string& schema, const Facts& facts, const OnnxModel& onnx);

}  // namespace opgen

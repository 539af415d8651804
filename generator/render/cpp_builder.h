// The builder of one ONNX operator as C++.
#pragma once

#include <nlohmann/json.hpp>

#include "generator/check/onnx_model.h"

namespace opgen {

/// Keys for templates/builders.*: op, inputs, attrs, first, last, signature, body.
nlohmann::json render_builder(const OnnxGroup& group);

}  // namespace opgen

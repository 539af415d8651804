// The builder of one ONNX operator as C++ data.
#pragma once

#include <string>

#include "generator/check/onnx_model.h"

namespace opgen::cpp {

/// The definition, with what it takes as a comment.
std::string builder(const OnnxGroup& group);

}  // namespace opgen::cpp

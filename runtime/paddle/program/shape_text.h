#pragma once

#include <optional>
#include <string>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

// "[3, ?, 5]"; "[]" for a 0-D tensor; "?" is an unknown dim.
std::string dims_text(const Shape& dims);

// "float32[3, ?, 5]"; "float32 of unknown shape" without dims.
std::string type_text(Dtype dtype, const std::optional<Shape>& dims);

}  // namespace fluid2onnx

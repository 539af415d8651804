// The converters in C++ that a spec can name (`native:`), by name.
#pragma once

#include <string>
#include <vector>

#include "runtime/convert/op_context.h"

namespace fluid2onnx::interpreter {

/// Null if missing of that name.
Converter find_native(const std::string& name);
std::vector<std::string> native_names();

}  // namespace fluid2onnx::interpreter

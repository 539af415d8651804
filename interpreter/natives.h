// The converters in C++ that a spec can name (`native:`), by name.
#pragma once

#include <map>
#include <string>

#include "runtime/convert/op_context.h"

namespace fluid2onnx::interpreter {

const std::map<std::string, Converter>& native_converters();

}  // namespace fluid2onnx::interpreter

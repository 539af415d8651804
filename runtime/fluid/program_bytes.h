// A Program as the bytes of a ProgramDesc.
#pragma once

#include <string>

#include "runtime/program/program.h"

namespace fluid2onnx {

/// What stands in an .pdmodel. Errors: E_TOO_LARGE.
std::string program_bytes(const Program& program);

}  // namespace fluid2onnx

// A Program as the bytes of a ProgramDesc.
#pragma once

#include <string>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// The contents of a .pdmodel. Errors: E_TOO_LARGE.
std::string program_bytes(const Program& program);

}  // namespace fluid2onnx

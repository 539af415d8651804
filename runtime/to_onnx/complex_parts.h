// Programs with complex numbers, as they are converted: see convert/complex.h.
#pragma once

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

bool has_complex(const Program& program);

/// The program with an axis of size 2 behind those of each complex variable and parameter. The declarations of
/// variables keep the complex dtype, by which converters know what they hold.
Program with_parts(Program program);

}  // namespace fluid2onnx

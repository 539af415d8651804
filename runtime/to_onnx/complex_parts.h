// Prepares programs with complex numbers: see convert/complex.h.
#pragma once

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

bool has_complex(const Program& program);

/// Appends an axis of size 2 to each complex variable and parameter. Declarations keep the complex dtype: by it,
/// converters recognise the last axis as real and imaginary parts.
Program with_parts(Program program);

}  // namespace fluid2onnx

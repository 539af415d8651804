// Drops what no output of a program needs.
#pragma once

#include "runtime/fluid/program_builder.h"

namespace fluid2onnx {

/// Operators of the main block whose results nobody reads, variables of no operator, weights without readers.
void prune(FluidModel* model);

}  // namespace fluid2onnx

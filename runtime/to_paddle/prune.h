// Removes what no output of a program needs.
#pragma once

#include "runtime/to_paddle/program_builder.h"

namespace fluid2onnx {

/// Removes operators of the main block with unused results, variables without operators, and weights without readers.
void prune(FluidModel* model);

}  // namespace fluid2onnx

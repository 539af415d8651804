#pragma once

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// Turns the feed and fetch ops of the main block into Program::inputs and outputs, in the order
/// of their `col`, and removes the ops. Names of outputs become unique. An output that is
/// overwritten after its fetch is saved in a separate variable by an added `assign`.
///
/// Error E_BAD_PROGRAM: feed or fetch in a sub-block, without a variable or with one that is not
/// declared; an input that is used before it is fed; an output that nothing computes.
void replace_feeds_and_fetches(Program& program);

}  // namespace fluid2onnx

#pragma once

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// Parameters of the sizes that the program declares, all zeros, for one whose files are not at hand: to inspect it.
/// They take no memory and no space. False, and nothing is done, if it does not declare the size of each.
bool add_placeholders(Program& program);

}  // namespace fluid2onnx

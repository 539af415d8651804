#pragma once

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// Checks what program.h promises about blocks: parents precede children, each block is the sub-block of at most one
/// op, which is in its parent, and nesting is at most limits::kBlockDepth deep. So a walk into sub-blocks ends, visits
/// each block once, and can't overflow the stack. Error: E_BAD_PROGRAM with block and op.
void validate_blocks(const Program& program);

}  // namespace fluid2onnx

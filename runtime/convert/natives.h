// Converters that data cannot say. Each is named by `native:` in its spec, which says why.
#pragma once

#include "runtime/convert/op_context.h"

namespace fluid2onnx::natives {

void while_loop(OpContext& op);
void conditional_block(OpContext& op);
void select_input(OpContext& op);

}  // namespace fluid2onnx::natives

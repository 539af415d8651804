// Converters in C++. A spec names each by `native:`, with a `why`.
#pragma once

#include "runtime/convert/op_context.h"

namespace fluid2onnx::natives {

void while_loop(OpContext& op);
void conditional_block(OpContext& op);
void select_input(OpContext& op);
void recurrent(OpContext& op);
void write_to_array(OpContext& op);
void read_from_array(OpContext& op);
void lod_array_length(OpContext& op);
void tensor_array_to_tensor(OpContext& op);

}  // namespace fluid2onnx::natives

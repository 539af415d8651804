// Converters of ONNX's operators that data cannot say. Each is named by `native:` in its spec, which says why.
#pragma once

#include "runtime/convert/op_context.h"

namespace fluid2onnx::natives {

void onnx_if(OpContext& op);
void onnx_loop(OpContext& op);

}  // namespace fluid2onnx::natives

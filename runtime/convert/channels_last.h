// Operators that take their tensors with channels last.
#pragma once

#include <string>

#include "runtime/convert/op_context.h"

namespace fluid2onnx {

/// NHWC, NDHWC, NLC and NWC are; NCHW, NCDHW, NCL, NCW and AnyLayout are not.
bool is_channels_last(const std::string& layout);
/// N...C to NC... and back when `channels_last`, else x itself. Tensors of rank 2 or less have no room for a layout.
Value to_channels_first(OpContext& op, Value x, bool channels_last);
Operand from_channels_first(OpContext& op, Value x, bool channels_last);

}  // namespace fluid2onnx

#pragma once

#include <cstdint>
#include <string>

#include "runtime/to_onnx/control_flow.h"

namespace fluid2onnx::natives {

/// Emits the iterations of a while operator one after the other if constants determine how many there are. Several
/// engines have no Loop or no sequences in it, and unrolled, tensor arrays are plain tensors. `carried` are the
/// variables of the loop. False, without a trace, if there are too many.
bool unroll(BlockContext& context, int32_t body, const std::string& condition, const Strings& carried);

}  // namespace fluid2onnx::natives

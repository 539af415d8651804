// Types around a Transpose.
#pragma once

#include <onnx/onnx_pb.h>

#include "runtime/support/value.h"

namespace fluid2onnx {

/// The type of a Transpose's operand, from the type of its result. `perm` is its attribute, with indices in range.
onnx::TypeProto type_before_transpose(const onnx::TypeProto& type, const Ints& perm);

}  // namespace fluid2onnx

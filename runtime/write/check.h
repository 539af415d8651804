// ONNX's own judgement of a model, before anybody sees it.
#pragma once

#include "runtime/write/model_proto.h"

namespace fluid2onnx {

/// The checker and strict shape inference with type checks. Throws E_CHECK.
///
/// Large constants take part as inputs: the checker wants the bytes of whatever is an initializer, and inference never
/// needs the numbers of a tensor larger than a kilobyte. Constants up to that size are there as they are.
void check_model(const Model& model, const ModelText& text);

}  // namespace fluid2onnx

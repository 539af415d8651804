// The functions that a model brings along.
#pragma once

#include "runtime/onnx/open_model.h"

namespace fluid2onnx {

/// Puts what they do in place of their calls, and adds the opsets that this takes. Errors: E_BAD_PROGRAM, E_TOO_LARGE,
/// E_UNSUPPORTED.
void inline_functions(OnnxFile* onnx);

}  // namespace fluid2onnx

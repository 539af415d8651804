// The functions that a model brings along.
#pragma once

#include "runtime/onnx/read/open_model.h"

namespace fluid2onnx {

/// Inlines functions at their calls, and adds the opsets that this requires. Errors: E_BAD_PROGRAM, E_TOO_LARGE,
/// E_UNSUPPORTED.
void inline_functions(OnnxFile* onnx);

}  // namespace fluid2onnx

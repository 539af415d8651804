// What ONNX Runtime cannot run although the ONNX schema allows it.
#pragma once

#include <string_view>

#include "runtime/support/dtype.h"

namespace fluid2onnx {

/// True if ONNX Runtime's CPU provider has no kernel of the operator, as the opset has it, for a dtype of one of the
/// schema's type variables. `variable` empty: the first variable that admits more than one dtype.
/// The facts are opspecs/facts/onnxruntime.json.
bool runtime_lacks(std::string_view op, int opset, std::string_view variable, Dtype dtype);

/// The same for the first type variable of an operator one of whose attributes has a value.
bool runtime_lacks_when(std::string_view op, int opset, std::string_view attribute, std::string_view value,
                        Dtype dtype);

}  // namespace fluid2onnx

// The converters of ONNX's operators, compiled from the specs with `onnx:`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/convert/onnx_converter.h"
#include "runtime/paddle/program/operators.h"

namespace fluid2onnx {

/// All of them, as opgen renders them.
const std::vector<OnnxConverter>& onnx_converters();

/// A converter with its texts parsed.
struct OnnxOperator {
  const OnnxConverter* converter = nullptr;
  std::vector<FluidSlot> inputs, outputs;
  std::vector<std::pair<std::string, std::string>> older;
};
/// Null if no converter has the operator at this opset.
const OnnxOperator* find_onnx_operator(std::string_view op, int opset);

}  // namespace fluid2onnx

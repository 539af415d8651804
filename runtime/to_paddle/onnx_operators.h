// The converters of ONNX's operators, compiled from the specs with `onnx:`.
#pragma once

#include <climits>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/convert/added_converters.h"
#include "runtime/convert/onnx_converter.h"
#include "runtime/paddle/program/operators.h"

namespace fluid2onnx {

/// All of them, as opgen renders them.
const std::vector<OnnxConverter>& onnx_converters();

/// A converter with its texts parsed.
struct OnnxOperator {
  std::string type;
  std::function<void(OpContext&, std::string* lines)> convert;  ///< `lines`: as AddedConverter::convert
  int first = 1, last = INT_MAX;                                ///< opsets
  std::vector<FluidSlot> inputs, outputs;
  std::vector<std::pair<std::string, std::string>> older;
};
using OnnxOperators = std::multimap<std::string, OnnxOperator, std::less<>>;

/// Null if no converter has the operator at this opset.
const OnnxOperator* find_onnx_operator(std::string_view op, int opset);

/// Those of specs at run time; `specs` may be null.
OnnxOperators added_onnx_operators(const AddedConverters* specs);
/// The one that reads a node of this opset, or null. Where built-in converters distinguish versions of an operator, an
/// added one takes the place of the one that it is for.
const OnnxOperator* find_added(const OnnxOperators& added, std::string_view op, int opset);

}  // namespace fluid2onnx

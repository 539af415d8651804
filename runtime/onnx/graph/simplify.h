// Nodes that would only give back one of their operands.
#pragma once

#include <string_view>

#include "runtime/onnx/graph/graph.h"

namespace fluid2onnx {

/// The operand that the node would be identical to, or nothing. Values are compared by what is known of them now.
Value simplify(const Model& model, std::string_view op, const Values& inputs, const Attrs& attrs);

}  // namespace fluid2onnx

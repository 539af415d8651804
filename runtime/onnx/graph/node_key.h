// When two nodes compute the same.
#pragma once

#include <string>
#include <string_view>

#include "runtime/onnx/graph/graph.h"

namespace fluid2onnx {

/// False for operators that give new numbers every time.
bool deterministic(std::string_view op);

/// Operator, attributes, operands and number of results: equal for nodes whose results are equal. Not for nodes with
/// bodies.
std::string node_key(const Node& node);
/// The same question, for many nodes: equal keys have equal hashes.
size_t node_hash(const Node& node);

}  // namespace fluid2onnx

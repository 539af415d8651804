#include "runtime/support/problem.h"

namespace fluid2onnx {

std::string Problem::position() const {
  const std::string number = std::to_string(index);
  if (!in_onnx) return "block " + std::to_string(block) + ", op " + number;
  return "node " + number + (block > 0 ? " of a graph within a node" : "");
}

std::string Problem::place() const {
  if (index < 0) return "output '" + output + "'";
  return position() + " '" + op_type + "'" + (output.empty() ? "" : " of '" + output + "'") +
         (source.empty() ? "" : " (" + source + ")");
}

}  // namespace fluid2onnx

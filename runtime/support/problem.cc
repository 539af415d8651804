#include "runtime/support/problem.h"

#include "runtime/support/refused.h"

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

Problem problem_of(const std::exception& reason) {
  const auto* error = dynamic_cast<const Error*>(&reason);
  if (!error) return problem_of(error_of(reason));
  const auto* refused = dynamic_cast<const Refused*>(error);
  return {error->code(), error->message(), error->hint(), refused ? refused->lowest_opset() : 0};
}

}  // namespace fluid2onnx

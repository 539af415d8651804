// An operator in one expression.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

inline Op make_op(std::string type, std::vector<Slot> inputs, std::vector<Slot> outputs,
                  std::vector<Attribute> attrs = {}) {
  Op op;
  op.type = std::move(type);
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  op.attrs = std::move(attrs);
  return op;
}

}  // namespace fluid2onnx

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

/// At the location of another operator.
inline Op make_op_at(const Op& place, std::string type, std::vector<Slot> inputs, std::vector<Slot> outputs,
                     std::vector<Attribute> attrs = {}) {
  Op op = make_op(std::move(type), std::move(inputs), std::move(outputs), std::move(attrs));
  op.source = place.source;
  op.block = place.block;
  op.index = place.index;
  return op;
}

}  // namespace fluid2onnx

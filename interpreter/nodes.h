// ONNX's operators at each opset, from the same data as the builders that opgen renders.
#pragma once

#include <vector>

#include "generator/check/onnx_model.h"
#include "interpreter/any.h"
#include "runtime/convert/builder.h"

namespace fluid2onnx::interpreter {

class NodeBuilder {
 public:
  /// Refers to the group's texts.
  explicit NodeBuilder(const opgen::OnnxGroup& group);
  NodeBuilder(const NodeBuilder&) = delete;
  NodeBuilder& operator=(const NodeBuilder&) = delete;

  /// One result, or a list of them where the operator gives several.
  Any emit(OpContext& op, Operands operands, Attrs attributes, int64_t results) const;

 private:
  std::vector<adapt::Step> steps_;
  bool many_;
  ListBuilder builder_;
};

}  // namespace fluid2onnx::interpreter

// Visits the nodes of a graph, of nested graphs, and of functions in the order of conversion.
//
// The walk converts nothing itself: it calls back for each node.
#pragma once

#include <functional>

#include "runtime/to_paddle/binder.h"
#include "runtime/to_paddle/problems.h"

namespace fluid2onnx {

class OnnxWalk {
 public:
  /// Converts a node; its results are bound afterwards. `graph` is empty within functions.
  using Convert = std::function<void(const onnx::GraphProto& graph, const onnx::NodeProto& node, int index)>;

  /// Both outlive the walk.
  OnnxWalk(OnnxBinder& binder, OnnxProblems& problems, Convert convert)
      : binder_(binder), problems_(problems), convert_(std::move(convert)) {}

  /// The values of a graph's outputs, given those of its inputs.
  Values run(const onnx::GraphProto& graph, const Values& inputs);
  /// The values of the function's outputs that its call uses.
  Values run(const onnx::FunctionProto& function, const onnx::NodeProto& call, const Values& inputs);

 private:
  OnnxBinder& binder_;
  OnnxProblems& problems_;
  const Convert convert_;
};

}  // namespace fluid2onnx

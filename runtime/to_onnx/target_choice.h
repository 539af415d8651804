// What --target changes while operators are converted: nodes that its engine does not run are replaced.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "runtime/convert/op_context.h"
#include "runtime/onnx/graph/graph.h"
#include "runtime/targets/targets.h"

namespace fluid2onnx {

class TargetChoice {
 public:
  /// `target` null: nothing is replaced.
  explicit TargetChoice(const Target* target) : target_(target) {}

  bool has(std::string_view op, int opset, Dtype dtype) const;
  /// True if the target does not run the node and a function of the library replaced it.
  bool replace(OpContext& op, const Model& model, std::string_view node, const Values& operands, const Attrs& attrs,
               Values* results);

 private:
  const Target* target_;
  std::set<std::string, std::less<>> open_;  ///< operators whose replacement is being emitted
};

}  // namespace fluid2onnx

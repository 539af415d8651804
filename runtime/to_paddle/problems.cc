#include "runtime/to_paddle/problems.h"

namespace fluid2onnx {

std::string name_of(const onnx::NodeProto& node) {
  for (const std::string& output : node.output()) {
    if (!output.empty()) return output;
  }
  return node.name().empty() ? node.op_type() : node.name();
}

void OnnxProblems::fail(const onnx::NodeProto& node, int index, size_t depth, const std::exception& reason,
                        const std::string& lines) {
  Problem problem = problem_of(reason);
  problem.spec = lines;
  problem.block = static_cast<int32_t>(depth);
  problem.index = index;
  problem.op_type = node.op_type();
  problem.output = name_of(node);
  problem.source = node.name();
  problem.in_onnx = true;
  all_.push_back(std::move(problem));
}

Problem OnnxProblems::take_from(size_t count) {
  Problem first = all_[count];
  all_.resize(count);
  return first;
}

void OnnxProblems::forget_from(Value first) {
  std::erase_if(tainted_, [&](int32_t id) { return id >= first.id; });
}

}  // namespace fluid2onnx

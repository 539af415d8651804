#include "runtime/to_paddle/cut.h"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/onnx/read/nested_graphs.h"
#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

std::vector<std::string> cut_points(const onnx::GraphProto& graph, const std::vector<int>& failing) {
  CutSearch search;
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    search.visit(std::binary_search(failing.begin(), failing.end(), i), reads_of(node),
                 {node.output().begin(), node.output().end()});
  }
  for (const auto& output : graph.output()) search.add(output.name());
  return std::move(search.outputs);
}

}  // namespace

Cut cut_before(const OnnxConversion& whole, const ConvertOptions& options, const FileOptions& files) {
  Cut cut;
  ConvertOptions part = options;
  part.renames.clear();
  part.progress = nullptr;
  try {
    part.outputs = cut_points(whole.onnx.model.graph(), whole.failing());
    if (part.outputs.empty()) return cut;
    OnnxConversion rest(whole.onnx.path, part, files);
    rest.run();
    if (!rest.report.ok || rest.report.operator_count() == 0) return cut;
    cut.outputs = std::move(part.outputs);
    cut.operators = rest.report.operator_count();
  } catch (const Error&) {
    // An output has another name or an unsupported type: no advice.
  }
  return cut;
}

}  // namespace fluid2onnx

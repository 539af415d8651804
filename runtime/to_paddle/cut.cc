#include "runtime/to_paddle/cut.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "runtime/onnx/read/nested_graphs.h"
#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

/// The values that the nodes which fail would read, and the outputs that do without these.
std::vector<std::string> cut_points(const onnx::GraphProto& graph, const std::vector<int>& failing) {
  std::unordered_set<std::string> tainted, computed;
  std::vector<std::string> points;
  const auto add = [&](const std::string& name) {
    const bool known = std::find(points.begin(), points.end(), name) != points.end();
    if (computed.count(name) && !known) points.push_back(name);
  };
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    const bool fails = std::binary_search(failing.begin(), failing.end(), i);
    const std::vector<std::string> reads = reads_of(node);
    const bool taints =
        fails || std::any_of(reads.begin(), reads.end(), [&](auto& n) { return tainted.count(n) != 0; });
    if (fails) std::for_each(reads.begin(), reads.end(), add);
    for (const std::string& output : node.output()) (taints ? tainted : computed).insert(output);
  }
  for (const auto& output : graph.output()) add(output.name());
  return points;
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
    // What was renamed, or an output of a type that is none: no advice.
  }
  return cut;
}

}  // namespace fluid2onnx

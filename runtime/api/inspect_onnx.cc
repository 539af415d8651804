#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/api/convert_onnx.h"
#include "runtime/api/inspection.h"
#include "runtime/onnx/read/nested_graphs.h"
#include "runtime/onnx/read/tensors.h"
#include "runtime/paddle/program/inspect.h"
#include "runtime/report/problems_text.h"
#include "runtime/report/report_json.h"
#include "runtime/support/error.h"
#include "runtime/support/text.h"
#include "runtime/to_paddle/conversion.h"
#include "runtime/to_paddle/cut.h"

namespace fluid2onnx {
namespace {

using nlohmann::json;
using onnx::GraphProto;
using onnx::NodeProto;

uint64_t bytes_of(const onnx::TensorProto& tensor) {
  double count = 1;
  for (const int64_t dim : tensor.dims()) count *= static_cast<double>(std::max<int64_t>(dim, 0));
  const double bytes = count * static_cast<double>(dtype_size(static_cast<Dtype>(tensor.data_type())));
  return bytes < 1e18 ? static_cast<uint64_t>(bytes) : 0;
}

void add_graph(const GraphProto& graph, int depth, OnnxInspection* found) {
  for (const auto& tensor : graph.initializer()) {
    ++found->initializers;
    found->initializer_bytes += bytes_of(tensor);
  }
  for (int i = 0; i < graph.node_size(); ++i) {
    const NodeProto& node = graph.node(i);
    found->nodes.push_back({depth,
                            i,
                            node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type(),
                            node.name(),
                            {node.input().begin(), node.input().end()},
                            {node.output().begin(), node.output().end()}});
    for_each_graph(node, [&](const GraphProto& inner) { add_graph(inner, depth + 1, found); });
  }
}

json ports_json(const std::vector<Port>& ports) {
  json list = json::array();
  for (const Port& port : ports) {
    list.push_back(
        {{"name", port.name}, {"dtype", std::string(dtype_name(port.dtype))}, {"shape", shape_json(port.dims)}});
  }
  return list;
}

std::map<std::string, int64_t> histogram(const std::vector<NodeLine>& nodes) {
  std::map<std::string, int64_t> counts;
  for (const NodeLine& node : nodes) ++counts[node.op];
  return counts;
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (&name == names.data() ? "" : ", ") + (name.empty() ? "_" : name);
  return text;
}

}  // namespace

OnnxInspection inspect_onnx_file(const std::string& model, const ConvertOptions& options, const FileOptions& files) {
  OnnxConversion conversion(model, options, files);
  const onnx::ModelProto& proto = conversion.onnx.model;
  OnnxInspection found;
  found.model = model;
  found.ir_version = static_cast<int>(proto.ir_version());
  found.opset = conversion.onnx.opset();
  found.producer = proto.producer_name() + (proto.producer_version().empty() ? "" : " " + proto.producer_version());
  for (const auto& input : proto.graph().input()) found.inputs.push_back(port_of(input));
  for (const auto& output : proto.graph().output()) found.outputs.push_back(port_of(output));
  add_graph(proto.graph(), 0, &found);
  conversion.run();
  found.report = std::move(conversion.report);
  if (!found.report.ok) found.cut = cut_before(conversion, options, files);
  return found;
}

json inspection_json(const OnnxInspection& found, bool list_ops) {
  json result{{"format", "onnx"},
              {"model", found.model},
              {"params", nullptr},
              {"version", nullptr},
              {"opset", found.opset},
              {"ir_version", found.ir_version},
              {"producer", found.producer.empty() ? json() : json(found.producer)},
              {"inputs", ports_json(found.inputs)},
              {"outputs", ports_json(found.outputs)},
              {"parameters", {{"count", found.initializers}, {"bytes", found.initializer_bytes}}},
              {"op_count", found.nodes.size()},
              {"ops", histogram(found.nodes)},
              {"blocks", json::array()},
              {"warnings", found.report.warnings},
              {"conversion", report_json(found.report)},
              {"lowest_opset", nullptr},
              {"opsets", json::array()},
              {"cut", cut_json(found.cut, found.report.operator_count())}};
  if (!list_ops) return result;
  json list = json::array();
  for (const NodeLine& node : found.nodes) {
    list.push_back({{"block", node.depth},
                    {"index", node.index},
                    {"type", node.op},
                    {"inputs", {{"", node.inputs}}},
                    {"outputs", {{"", node.outputs}}},
                    {"source", node.name.empty() ? json() : json(node.name)}});
  }
  result["op_list"] = std::move(list);
  return result;
}

std::string inspection_text(const OnnxInspection& found, bool list_ops) {
  std::string text = found.model + ": ONNX, opset " + std::to_string(found.opset) + ", IR version " +
                     std::to_string(found.ir_version) + (found.producer.empty() ? "" : ", by " + found.producer) + "\n";
  const auto add_ports = [&](const char* title, const std::vector<Port>& ports) {
    text += std::string("\n") + title + " (" + std::to_string(ports.size()) + ")\n";
    for (const Port& port : ports) text += "  " + port.name + ": " + port_text(port) + "\n";
  };
  add_ports("inputs", found.inputs);
  add_ports("outputs", found.outputs);
  text += "\ninitializers: " + std::to_string(found.initializers) + ", " + bytes_text(found.initializer_bytes) + "\n";
  text += "\nnodes (" + std::to_string(found.nodes.size()) + ")\n" + histogram_text(histogram(found.nodes));
  for (const std::string& warning : found.report.warnings) text += "\nwarning: " + warning + "\n";
  if (list_ops) {
    text += "\n";
    for (const NodeLine& node : found.nodes) {
      text += std::string(2 + 2 * static_cast<size_t>(node.depth), ' ') + std::to_string(node.index) + "  " + node.op +
              "(" + joined_names(node.inputs) + ") -> " + joined_names(node.outputs) +
              (node.name.empty() ? "" : "   " + node.name) + "\n";
    }
  }
  text += "\n";
  const Report& report = found.report;
  if (report.ok) {
    return text + "can be converted to a program of Paddle with " +
           count_of(static_cast<size_t>(report.node_count()), "operator") + "\n";
  }
  text += "cannot be converted to a Paddle program\n" + problems_text(report.problems, report.opset, 0);
  if (found.cut.outputs.empty()) return text;
  return text + cut_text(found.cut, report.operator_count());
}

}  // namespace fluid2onnx

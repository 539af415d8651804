#include "runtime/report/report_json.h"

#include <nlohmann/json.hpp>

#include "runtime/convert/op_context.h"
#include "runtime/report/target_report.h"

namespace fluid2onnx {
namespace {

using nlohmann::json;

json or_null(const std::string& text) { return text.empty() ? json() : json(text); }
json or_null(int number) { return number == 0 ? json() : json(number); }

json ports_json(const std::vector<Port>& ports) {
  json list = json::array();
  for (const Port& port : ports) {
    list.push_back({{"name", port.name},
                    {"variable", port.variable},
                    {"dtype", std::string(dtype_name(port.dtype))},
                    {"shape", shape_json(port.dims)},
                    {"lengths", port.lengths}});
  }
  return list;
}

json problem_json(const Problem& p) {
  const bool op = p.index >= 0;
  return {{"code", code_name(p.code)},
          {"message", p.message},
          {"hint", or_null(p.hint)},
          {"lowest_opset", or_null(p.working_opset)},
          {"place", p.place()},
          {"block", op ? json(p.block) : json()},
          {"index", op ? json(p.index) : json()},
          {"op", or_null(p.op_type)},
          {"output", or_null(p.output)},
          {"source", or_null(p.source)},
          {"spec", or_null(p.spec)},
          {"behind", p.behind}};
}

}  // namespace

json shape_json(const std::optional<InputShape>& dims) {
  if (!dims) return nullptr;
  json shape = json::array();
  for (const InputDim& dim : *dims) shape.push_back(dim.size >= 0 ? json(dim.size) : or_null(dim.name));
  return shape;
}

json report_json(const Report& r) {
  json casts = json::array(), errors = json::array();
  for (const CastNote& cast : r.casts) {
    casts.push_back({{"op", cast.op},
                     {"from", std::string(dtype_name(cast.from))},
                     {"to", std::string(dtype_name(cast.to))},
                     {"why", cast.for_runtime ? "runtime" : "opset"}});
  }
  json custom_nodes = json::array();
  for (const CustomNode& node : r.custom_nodes)
    custom_nodes.push_back({{"op", node.op}, {"place", node.place}, {"why", or_null(node.why)}});
  for (const Problem& problem : r.problems) errors.push_back(problem_json(problem));
  json report{{"ok", r.ok},
              {"to", r.to_paddle ? "paddle" : "onnx"},
              {"model", r.model},
              {"params", or_null(r.params)},
              {"paddle", or_null(r.paddle)},
              {"output", or_null(r.output)},
              {"opset", r.opset},
              {"ir_version", or_null(r.ir_version)},
              {"seconds", r.seconds},
              {"inputs", ports_json(r.inputs)},
              {"outputs", ports_json(r.outputs)},
              {"operators", r.operators},
              {"nodes", r.nodes},
              {"skipped", r.skipped},
              {"initializers", r.initializers},
              {"weight_bytes", r.weight_bytes},
              {"model_bytes", r.model_bytes},
              {"data_bytes", r.data_bytes},
              {"data_path", or_null(r.data_path)},
              {"casts", std::move(casts)},
              {"custom_nodes", std::move(custom_nodes)},
              {"warnings", r.warnings},
              {"lowest_opset", or_null(r.working_opset)},
              {"errors", std::move(errors)}};
  if (r.target) report["target"] = target_json(*r.target);
  return report;
}

json error_json(const Error& e) {
  const json error{{"code", code_name(e.code())},
                   {"message", e.place().empty() ? e.message() : e.place() + ": " + e.message()},
                   {"hint", or_null(e.hint())},
                   {"lowest_opset", nullptr},
                   {"place", or_null(e.place())}};
  return {{"ok", false}, {"lowest_opset", nullptr}, {"errors", json::array({error})}};
}

json operators_json(std::string_view name) {
  json list = json::array();
  for (const ConverterInfo& info : converters()) {
    if (!name.empty() && name != info.op) continue;
    list.push_back({{"op", info.op}, {"lowest_opset", info.lowest_opset}, {"spec", info.spec}, {"doc", info.doc}});
  }
  return list;
}

}  // namespace fluid2onnx

#include "runtime/paddle/program/inspect.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "runtime/api/convert_onnx.h"
#include "runtime/api/either_way.h"
#include "runtime/api/inspection.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"
#include "runtime/paddle/program/attribute_text.h"
#include "runtime/report/problems_text.h"
#include "runtime/support/text.h"

namespace fluid2onnx::cli {
namespace {

std::string slots_text(const std::vector<Slot>& slots) {
  std::string text;
  for (const Slot& slot : slots) {
    if (slot.args.empty()) continue;
    text += (text.empty() ? "" : ", ") + slot.name + "=";
    for (size_t i = 0; i < slot.args.size(); ++i) text += (i ? "," : "") + slot.args[i];
  }
  return text;
}

std::string attributes_text(const AttributeList& attributes) {
  std::string text;
  for (const Attribute& attribute : attributes) text += (text.empty() ? "" : ", ") + attribute_text(attribute);
  return text.empty() ? "" : " {" + text + "}";
}

void print_ops(const Program& program) {
  for (const Block& block : program.blocks) {
    std::cout << "\nblock " << block.index << "\n";
    for (const Op& op : block.ops) {
      std::cout << "  " << op.index << "  " << op.type << "(" << slots_text(op.inputs) << ") -> "
                << slots_text(op.outputs) << attributes_text(op.attrs);
      const std::string source = op.source.to_string();
      std::cout << (source.empty() ? "" : "   " + source) << "\n";
    }
  }
}

/// Inputs and outputs as the user asks for them, or as they are with the lengths of sequences; else nothing.
std::optional<PortLines> asked_ports(const Report& report, const ConvertOptions& options) {
  const auto divided = [](const Port& port) { return !port.lengths.empty(); };
  const bool any_divided = std::any_of(report.inputs.begin(), report.inputs.end(), divided) ||
                           std::any_of(report.outputs.begin(), report.outputs.end(), divided);
  if (!any_divided && options.input_shapes.empty() && options.inputs.empty() && options.outputs.empty()) {
    return std::nullopt;
  }
  PortLines lines;
  for (const Port& port : report.inputs)
    lines.inputs.push_back(port.name + ": " + port_text(port) + lengths_text(port));
  for (const Port& port : report.outputs)
    lines.outputs.push_back(port.name + ": " + port_text(port) + lengths_text(port));
  return lines;
}

int inspect_onnx(const Arguments& a) {
  const OnnxInspection found = inspect_onnx_file(a.model, a.options, a.files);
  if (a.json.wanted) print_json(inspection_json(found, a.list_ops), a.json);
  if (!a.json.to_stdout()) std::cout << inspection_text(found, a.list_ops);
  return exit_code(found.report);
}

}  // namespace

int inspect(const Arguments& a) {
  if (!a.html.empty()) return page(a);
  if (is_onnx_file(a.model)) return inspect_onnx(a);
  const Inspection found = inspect_file(a.model, a.options, a.files);
  const auto& [program, convertible, report, opsets, cut] = found;
  if (a.json.wanted) {
    nlohmann::json json = inspection_json(found);
    if (a.list_ops) {
      json["op_list"] = ops_json(program);
      json["variables"] = variables_json(program);
    }
    print_json(json, a.json);
    if (a.json.to_stdout()) return exit_code(report);
  }
  std::cout << (convertible ? describe_text(program, asked_ports(report, a.options)) : describe_text(program));
  if (a.list_ops) print_ops(program);
  std::cout << "\n";
  if (!convertible) {
    std::cout << "a training program without outputs: choose some with --outputs\n";
    return kCannotConvert;
  }
  if (report.ok) {
    std::cout << "can be converted at opset " << report.opset << " to "
              << count_of(static_cast<size_t>(report.node_count()), "node") << "; opsets " << opsets_text(opsets)
              << " work\n";
    return kDone;
  }
  std::cout << "cannot be converted at opset " << report.opset << "\n"
            << problems_text(report.problems, report.opset, report.lowest_opset);
  if (!cut.outputs.empty()) std::cout << cut_text(cut, report.operator_count());
  return exit_code(report);
}

}  // namespace fluid2onnx::cli

#include "runtime/api/inspection.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/paddle/program/attribute_text.h"
#include "runtime/paddle/program/inspect.h"
#include "runtime/paddle/read/open_model.h"
#include "runtime/paddle/read/placeholders.h"
#include "runtime/report/problems_text.h"
#include "runtime/report/report_json.h"
#include "runtime/support/error.h"
#include "runtime/support/text.h"
#include "runtime/to_onnx/convert_model.h"
#include "runtime/to_onnx/custom_signature.h"
#include "runtime/to_onnx/cut.h"
#include "runtime/to_onnx/opset_search.h"

namespace fluid2onnx {
namespace {

/// Without its parameters' file, what the program declares of them is enough for most of the report.
Program open_program(const std::string& model, OpenOptions options) {
  try {
    return open_model(model, options);
  } catch (const Error& error) {
    if (error.code() != E_NO_PARAMS || !options.params_path.empty()) throw;
    options.load_parameters = false;
    Program program = open_model(model, options);
    if (!add_placeholders(program)) throw;
    program.warnings.push_back("the parameter file is missing; zeros of the declared shapes are used");
    return program;
  }
}

std::string slots_text(const std::vector<Slot>& slots) {
  std::string text;
  for (const Slot& slot : slots) {
    if (slot.args.empty()) continue;
    text += (text.empty() ? "" : ", ") + slot.name + "=" + joined(slot.args, ",");
  }
  return text;
}

std::string attributes_text(const AttributeList& attributes) {
  std::string text;
  for (const Attribute& attribute : attributes) text += (text.empty() ? "" : ", ") + attribute_text(attribute);
  return text.empty() ? "" : " {" + text + "}";
}

std::string ops_text(const Program& program) {
  std::string text;
  for (const Block& block : program.blocks) {
    text += "\nblock " + std::to_string(block.index) + "\n";
    for (const Op& op : block.ops) {
      const std::string source = op.source.to_string();
      text += "  " + std::to_string(op.index) + "  " + op.type + "(" + slots_text(op.inputs) + ") -> " +
              slots_text(op.outputs) + attributes_text(op.attrs) + (source.empty() ? "" : "   " + source) + "\n";
    }
  }
  return text;
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

}  // namespace

Inspection inspect_file(const std::string& model, const ConvertOptions& options, const FileOptions& files) {
  OpenOptions reading;
  reading.params_path = files.params;
  reading.require_outputs = false;
  Inspection found;
  found.program = open_program(model, reading);
  if (options.specs) take_names(*options.specs, &found.program);
  found.convertible = !found.program.outputs.empty() || !options.outputs.empty();
  if (found.convertible) {
    found.report = convert_model(found.program, options).report;
    // What no opset has a converter for need not be tried.
    const auto& problems = found.report.problems;
    const bool hopeless =
        std::any_of(problems.begin(), problems.end(), [](const Problem& p) { return p.unsupported(); });
    if (!hopeless && options.find_working_opset) found.opsets = converting_opsets(found.program, options);
    if (!found.report.ok) found.cut = cut_before(problems, found.program, options);
  }
  return found;
}

nlohmann::json cut_json(const Cut& cut, int64_t of) {
  if (cut.outputs.empty()) return nullptr;
  return {{"outputs", cut.outputs}, {"operators", cut.operators}, {"of", of}};
}

nlohmann::json inspection_json(const Inspection& inspection, bool list_ops) {
  nlohmann::json json = describe_json(inspection.program);
  json["conversion"] = inspection.convertible ? report_json(inspection.report) : nlohmann::json();
  const std::vector<int>& opsets = inspection.opsets;
  json["lowest_opset"] = opsets.empty() ? nlohmann::json() : nlohmann::json(opsets.front());
  json["opsets"] = opsets;
  json["cut"] = cut_json(inspection.cut, inspection.report.operator_count());
  if (list_ops) {
    json["op_list"] = ops_json(inspection.program);
    json["variables"] = variables_json(inspection.program);
  }
  return json;
}

std::string inspection_text(const Inspection& inspection, const ConvertOptions& options, bool list_ops) {
  const Report& report = inspection.report;
  const auto ports = inspection.convertible ? asked_ports(report, options) : std::nullopt;
  std::string text = describe_text(inspection.program, ports) + (list_ops ? ops_text(inspection.program) : "") + "\n";
  if (!inspection.convertible) return text + "a training program without outputs: choose some with --outputs\n";
  const std::string opset = " be converted at opset " + std::to_string(report.opset);
  if (report.ok) {
    return text + "can" + opset + " to " + count_of(static_cast<size_t>(report.node_count()), "node") + "; opsets " +
           opsets_text(inspection.opsets) + " work\n";
  }
  text += "cannot" + opset + "\n" + problems_text(report.problems, report.opset, report.working_opset);
  return inspection.cut.outputs.empty() ? text : text + cut_text(inspection.cut, report.operator_count());
}

}  // namespace fluid2onnx

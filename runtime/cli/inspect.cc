#include "runtime/program/inspect.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"
#include "runtime/driver/convert_model.h"
#include "runtime/driver/report_json.h"
#include "runtime/program/open_model.h"
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

void print_ops(const Program& program) {
  for (const Block& block : program.blocks) {
    std::cout << "\nblock " << block.index << "\n";
    for (const Op& op : block.ops) {
      std::cout << "  " << op.index << "  " << op.type << "(" << slots_text(op.inputs) << ") -> "
                << slots_text(op.outputs);
      const std::string source = op.source.to_string();
      std::cout << (source.empty() ? "" : "   " + source) << "\n";
    }
  }
}

/// Inputs and outputs as the user asks for them; nothing if he does not.
std::optional<PortLines> asked_ports(const Report& report, const ConvertOptions& options) {
  if (options.input_shapes.empty() && options.inputs.empty() && options.outputs.empty()) return std::nullopt;
  PortLines lines;
  for (const Port& port : report.inputs) lines.inputs.push_back(port.name + ": " + port_text(port));
  for (const Port& port : report.outputs) lines.outputs.push_back(port.name + ": " + port_text(port));
  return lines;
}

/// The lowest opset that converts the model: 0 for none.
int lowest_opset(const Program& program, ConvertOptions options) {
  options.opset = kOldestOpset;
  const ConvertResult result = convert_model(program, options);
  return result.report.ok ? kOldestOpset : result.report.lowest_opset;
}

}  // namespace

int inspect(const Arguments& a) {
  OpenOptions open;
  open.params_path = a.files.params;
  open.require_outputs = false;
  const Program program = open_model(a.model, open);

  // A training program can be looked at, but has no outputs to convert.
  const bool convertible = !program.outputs.empty() || !a.options.outputs.empty();
  Report report;
  int lowest = 0;
  if (convertible) {
    report = convert_model(program, a.options).report;
    lowest = lowest_opset(program, a.options);
  }
  if (a.json.wanted) {
    nlohmann::json json = describe_json(program);
    json["conversion"] = convertible ? report_json(report) : nlohmann::json();
    json["lowest_opset"] = lowest ? nlohmann::json(lowest) : nlohmann::json();
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
              << count_of(static_cast<size_t>(report.node_count()), "node") << "; opsets " << lowest << " to "
              << kNewestOpset << " work\n";
    return kDone;
  }
  std::cout << "cannot be converted at opset " << report.opset << "\n"
            << problems_text(report.problems, report.opset, report.lowest_opset);
  return exit_code(report);
}

}  // namespace fluid2onnx::cli

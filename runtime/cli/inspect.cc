#include "runtime/program/inspect.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"
#include "runtime/driver/inspection.h"
#include "runtime/driver/opset_search.h"
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

}  // namespace

int inspect(const Arguments& a) {
  const Inspection found = inspect_file(a.model, a.options, a.files);
  const auto& [program, convertible, report, opsets] = found;
  if (a.json.wanted) {
    print_json(inspection_json(found), a.json);
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
  return exit_code(report);
}

}  // namespace fluid2onnx::cli

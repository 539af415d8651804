#include "runtime/fluid/convert_onnx.h"

#include <chrono>
#include <filesystem>

#include "runtime/fluid/onnx_walker.h"
#include "runtime/fluid/prune.h"
#include "runtime/fluid/write_program.h"
#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

constexpr std::string_view kProgram = ".pdmodel";

std::string params_of(const std::string& output) {
  if (!output.ends_with(kProgram)) {
    throw Error(E_USAGE, "an ONNX model becomes a program of Paddle, but '" + output + "' is no name of one")
        .hint("take a name that ends with .pdmodel; the parameters go beside it");
  }
  return output.substr(0, output.size() - kProgram.size()) + ".pdiparams";
}

Port port_of(const std::string& name, const Variable& variable) {
  Port port;
  port.name = name;
  port.variable = name;
  port.dtype = variable.dtype;
  if (variable.dims) {
    port.dims.emplace();
    for (const int64_t size : *variable.dims) port.dims->push_back({size, ""});
  }
  return port;
}

}  // namespace

bool is_onnx_path(const std::string& path) { return path.ends_with(".onnx"); }

std::string default_program(const std::string& model) {
  return std::filesystem::path(model).stem().string() + std::string(kProgram);
}

Report convert_onnx_file(const std::string& model, const std::string& output, const ConvertOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::string params = params_of(output);
  if (options.progress) options.progress("reading", 0, 0);
  OnnxFile onnx = open_onnx(model);
  ProgramBuilder builder;
  OnnxWalker walker(onnx, builder);
  walker.run();

  Report report;
  report.model = model;
  report.opset = onnx.opset();
  report.warnings = onnx.warnings;
  report.operators = walker.operators();
  report.problems = walker.problems();
  FluidModel& made = builder.result();
  if (report.problems.empty()) {
    prune(&made);
    for (const Input& input : made.program.inputs) {
      report.inputs.push_back(port_of(input.name, made.program.blocks.front().variables[input.name]));
    }
    for (const Output& out : made.program.outputs) {
      report.outputs.push_back(port_of(out.name, made.program.blocks.front().variables[out.value]));
    }
    for (const Block& block : made.program.blocks) {
      for (const Op& op : block.ops) ++report.nodes[op.type];
    }
    write_program(made.program, made.weights, output, params);
    report.ok = true;
    report.output = output;
    std::error_code absent;
    report.model_bytes = std::filesystem::file_size(output, absent);
    if (!made.weights.empty()) {
      report.data_path = params;
      report.data_bytes = std::filesystem::file_size(params, absent);
    }
    report.initializers = static_cast<int64_t>(made.weights.size());
    for (const auto& [name, tensor] : made.weights) report.weight_bytes += tensor.byte_size();
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace fluid2onnx

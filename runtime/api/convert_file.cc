#include "runtime/api/convert_file.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "runtime/api/structure_text.h"
#include "runtime/files/output_file.h"
#include "runtime/onnx/read/open_model.h"
#include "runtime/onnx/write/onnx_writer.h"
#include "runtime/paddle/program/needed_ops.h"
#include "runtime/paddle/program/uses.h"
#include "runtime/paddle/read/open_model.h"
#include "runtime/support/error.h"
#include "runtime/support/text.h"
#include "runtime/support/version.h"
#include "runtime/targets/lint.h"
#include "runtime/to_onnx/convert_model.h"
#include "runtime/to_onnx/custom_signature.h"

namespace fluid2onnx {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The files that a program is read from.
std::set<std::string> sources_of(const Program& program) {
  std::set<std::string> sources{program.model_path};
  if (!std::filesystem::is_directory(program.params_path)) sources.insert(program.params_path);
  for (const auto& [name, parameter] : program.parameters) {
    if (parameter.data.file) sources.insert(parameter.data.file->path());
  }
  return sources;
}

/// Frees the program before the check and the output, which also take memory.
ConvertResult read_and_convert(const std::string& model, const std::string& output, const ConvertOptions& options,
                               const FileOptions& files) {
  OpenOptions open;
  open.params_path = files.params;
  open.require_outputs = options.outputs.empty();
  if (options.progress) options.progress("reading", 0, 0);
  const auto read = [&] {
    Program program = open_model(model, open);
    if (options.specs) take_names(*options.specs, &program);
    return program;
  };
  Program program = read();
  refuse_to_overwrite(sources_of(program), {output, data_path_of(output)});
  if (options.precision.to != Dtype::undefined && files.weights == Weights::reference) {
    throw Error(E_USAGE, "weights in half precision differ from Paddle's file, so the model cannot refer to it")
        .hint("use weights 'external', or do not change the precision");
  }
  ConvertOptions adapted = options;
  adapted.weights_as_stored = adapted.weights_as_stored || files.weights == Weights::reference;
  return convert_model(std::move(program), adapted, read);
}

/// How to convert the rest of a program behind a cut: from the values at the cut and the inputs that it reads as well.
void describe_rest(const Program& program, const ConvertOptions& options, TargetReport* report) {
  const NameSet cut(report->cut.begin(), report->cut.end());
  std::vector<std::string> outputs = options.outputs;
  if (outputs.empty()) {
    for (const Output& output : program.outputs) outputs.push_back(output.value);
  }
  NameSet wanted, needed;
  for (const std::string& name : outputs) {
    if (cut.count(name) == 0) wanted.insert(name);
  }
  for (const NeededOp& rest : needed_ops(program, 0, wanted, cut, &needed)) {
    for_each_read(program, *rest.op, [&](const std::string& name) {
      if (cut.count(name) != 0) needed.insert(name);
    });
  }
  std::vector<std::string> values = report->cut;
  for (const Input& input : program.inputs) values.push_back(input.name);
  for (const std::string& name : values) {
    if (needed.count(name) != 0) report->rest_inputs.push_back(name);
  }
  // A value at the cut can be a copy that the program does not read. Without any other, the rest is the whole model.
  const auto is_cut = [&](const std::string& name) { return cut.count(name) != 0; };
  if (std::none_of(report->rest_inputs.begin(), report->rest_inputs.end(), is_cut)) return report->rest_inputs.clear();
  if (wanted.size() == outputs.size() && options.outputs.empty()) return;
  for (const std::string& name : outputs) {
    if (wanted.count(name) != 0) report->rest_outputs.push_back(name);
  }
}

/// To check the file for a target, it is read again.
void refuse_pipe(const std::string& output) {
  std::error_code error;
  if (!std::filesystem::is_other(output, error)) return;
  throw Error(E_WRITE, "a model that is checked for a target cannot go to a pipe or device")
      .at(output)
      .hint("write a file, or omit --target");
}

/// The nodes that the target refuses. The model can be cut at variables of the program.
std::shared_ptr<const TargetReport> check_target(const std::string& onnx, const ConvertOptions& options,
                                                 const std::string& model, const std::string& params) {
  const OnnxFile file = open_onnx(onnx);
  const TargetLint lint(file);
  std::optional<Program> program;
  const auto is_variable = [&](const std::string& name) {
    if (!program) {
      OpenOptions open;
      open.params_path = params;
      open.require_outputs = false;
      program = open_model(model, open);
    }
    return program->main().find(name) != nullptr;
  };
  TargetReport report = lint.check(*options.target, is_variable);
  if (program && !report.cut.empty() && options.inputs.empty()) describe_rest(*program, options, &report);
  return std::make_shared<TargetReport>(std::move(report));
}

}  // namespace

std::string default_output(const std::string& model) {
  namespace fs = std::filesystem;
  fs::path path = fs::absolute(model).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename() == "__model__" || path.filename() == "__model__.json") path = path.parent_path();
  std::string name = path.filename().string();
  for (const char* suffix : {".pdmodel", ".json"}) {
    if (name.size() > std::string(suffix).size() && name.ends_with(suffix)) {
      name.resize(name.size() - std::string(suffix).size());
      break;
    }
  }
  return (name.empty() ? "model" : name) + ".onnx";
}

Report convert_file(const std::string& model, const std::string& output, const ConvertOptions& options,
                    const FileOptions& files) {
  const auto start = std::chrono::steady_clock::now();
  if (options.target) refuse_pipe(output);
  ConvertResult result = read_and_convert(model, output, options, files);
  if (!result.model) {
    result.report.seconds = seconds_since(start);
    return std::move(result.report);
  }

  if (files.structure) result.report.structure = structure_text(*result.model, files.structure);

  WriteOptions write;
  write.weights = files.weights;
  write.text.producer_version = kVersion;
  write.text.ir_version = options.ir_version;
  if (!result.report.unknown_ranks.empty()) {
    std::string names;
    for (const std::string& name : result.report.unknown_ranks) names += (names.empty() ? "" : "\n") + name;
    write.text.metadata.emplace_back("unknown_ranks", std::move(names));
  }
  write.sync = files.sync;
  if (options.progress) {
    options.progress("checking", 0, 0);
    write.progress = [&](uint64_t done, uint64_t total) { options.progress("writing", done, total); };
  }
  result.report.output = output;  // now: when the file has its name, only warnings and the target's check allocate
  WriteResult written = write_onnx(*result.model, output, write);
  result.report.model_bytes = written.model_bytes;
  result.report.data_bytes = written.data_bytes;
  result.report.data_path = std::move(written.data_path);
  if (written.denormals != 0) {
    result.report.warnings.push_back(
        count_of(written.denormals, "weight") +
        " below 1.2e-38 (denormal) became 0, as in Paddle's predictor: processors need much longer for them");
  }
  if (options.target) result.report.target = check_target(output, options, model, files.params);
  result.report.seconds = seconds_since(start);
  return std::move(result.report);
}

}  // namespace fluid2onnx

#include "runtime/api/convert_onnx.h"

#include <chrono>
#include <filesystem>
#include <set>
#include <utility>

#include "runtime/files/output_file.h"
#include "runtime/paddle/read/sniff.h"
#include "runtime/paddle/write/pir_writer.h"
#include "runtime/paddle/write/write_program.h"
#include "runtime/support/error.h"
#include "runtime/support/text.h"
#include "runtime/to_paddle/conversion.h"

namespace fluid2onnx {
namespace {

constexpr std::string_view kProgram = ".pdmodel";
constexpr std::string_view kPir = ".json";  // Paddle 3's own format

std::string params_of(const std::string& output) {
  for (const std::string_view suffix : {kProgram, kPir}) {
    if (output.ends_with(suffix)) return output.substr(0, output.size() - suffix.size()) + ".pdiparams";
  }
  throw Error(E_USAGE, "an ONNX model is converted to a Paddle program, but '" + output + "' has another extension")
      .hint(
          "use a name that ends with .pdmodel, or with .json for Paddle 3's format; the parameters are written beside "
          "it");
}

/// The files that a model is read from.
std::set<std::string> sources_of(const OnnxFile& onnx) {
  std::set<std::string> sources{onnx.path};
  for (const auto& [location, file] : onnx.data) sources.insert(file->path());
  return sources;
}

/// A .pdmodel and a .json of the same name would share the parameter file.
void refuse_to_share(const std::string& output, const std::string& params) {
  const std::string_view other = output.ends_with(kPir) ? kProgram : kPir;
  const std::string neighbour =
      params.substr(0, params.size() - std::string_view(".pdiparams").size()) + std::string(other);
  std::error_code error;
  if (!std::filesystem::is_regular_file(neighbour, error)) return;
  const FileKind kind = sniff_file(neighbour);
  if (kind != FileKind::program_desc && kind != FileKind::pir_json) return;
  throw Error(E_USAGE, "'" + neighbour + "' has its parameters in the same file, '" + params + "'")
      .at(output)
      .hint("use another name, or remove that program");
}

/// Paddle's files store names as UTF-8, and sort parameters by them.
void check_names(const Program& program, const std::string& model) {
  for (const Block& block : program.blocks) {
    for (const auto& [name, variable] : block.variables) {
      if (is_utf8(name)) continue;
      throw Error(E_BAD_PROGRAM, "the name '" + std::string(name) + "' is not UTF-8")
          .at(model)
          .hint("rename the value, for example with the 'onnx' package");
    }
  }
}

}  // namespace

std::string default_program(const std::string& model) {
  const std::string name = std::filesystem::path(model).stem().string();
  return (name.empty() ? "model" : name) + std::string(kProgram);
}

Report convert_onnx_file(const std::string& model, const std::string& output, const ConvertOptions& options,
                         const FileOptions& files) {
  const auto start = std::chrono::steady_clock::now();
  const std::string params = params_of(output);
  OnnxConversion conversion(model, options, files);
  conversion.run();
  Report report = std::move(conversion.report);
  const FluidModel& made = conversion.made();
  if (report.problems.empty()) check_names(made.program, model);
  std::string pir;
  if (report.problems.empty() && output.ends_with(kPir)) {
    pir = pir_json_of(made.program, &report.problems);
    report.ok = report.problems.empty();
  }
  if (report.problems.empty()) {
    refuse_to_overwrite(sources_of(conversion.onnx), {output, params});
    refuse_to_share(output, params);
    // No allocation may fail after the files have their names.
    report.output = output;
    if (!made.weights.empty()) report.data_path = params;
    const auto progress = [&](uint64_t done, uint64_t total) {
      if (options.progress) options.progress("writing", done, total);
    };
    const ProgramSizes written =
        pir.empty() ? write_program(made.program, made.weights, output, params, files.sync, progress)
                    : write_program_files(pir, made.program, made.weights, output, params, files.sync, progress);
    report.model_bytes = written.model;
    report.data_bytes = written.params;
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace fluid2onnx

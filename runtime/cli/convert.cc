#include <cstdint>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "runtime/api/divide.h"
#include "runtime/api/either_way.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"
#include "runtime/cli/progress.h"
#include "runtime/report/problems_text.h"
#include "runtime/report/report_json.h"
#include "runtime/report/target_report.h"

namespace fluid2onnx::cli {
namespace {

constexpr size_t kFewLines = 60;  // of the graph, that --validate prints by itself

/// The verdict, where the details went to a file.
std::string validation_text(const nlohmann::json& validation) {
  if (!validation.is_object()) return "";
  if (validation.value("ok", false)) {
    const bool some_empty = !validation.value("empty", nlohmann::json::array()).empty();
    return "the outputs agree with " + validation.value("reference", "Paddle") +
           (some_empty ? ", but for those without elements" : "") + "\n";
  }
  return "the outputs differ: " + validation.value("error", "") + "\n";
}

}  // namespace

int convert(const Arguments& a) {
  if (a.recursive || !a.list.empty()) return convert_many(a);
  const std::string output = a.output.empty() ? default_result(a.model) : a.output;
  const DividedReport divided = [&]() -> DividedReport {
    ProgressLine line(!a.quiet);
    ConvertOptions options = a.options;
    if (line.active()) {
      options.progress = [&](const char* what, uint64_t done, uint64_t total) { line.show(what, done, total); };
    }
    FileOptions files = a.files;
    const bool few = a.validate && !a.quiet && !is_onnx_file(a.model);
    files.structure = a.structure ? std::numeric_limits<int32_t>::max() : few ? kFewLines : 0;
    if (!a.rest.empty()) return convert_divided(a.model, output, a.rest, options, files);
    return {convert_either(a.model, output, options, files), std::nullopt};
  }();
  // If the rest failed, its problems count.
  const Report& report = divided.rest && !divided.rest->ok ? *divided.rest : divided.front;
  if (!report.ok) std::cerr << problems_text(report.problems, report.opset, report.working_opset);
  const bool prints_text = !a.json.to_stdout();
  if (report.ok && prints_text) {
    if (!a.quiet) std::cout << report_text(report);
    if (!report.structure.empty()) std::cout << "\n" << report.structure << "\n";
  }
  if (report.target && !report.target->ok()) std::cerr << target_text(*report.target);
  if (report.ok && !a.rest.empty() && report.target && !report.target->ok() && !divided.rest) {
    std::cerr << "the model cannot be divided: '" << a.rest << "' is not written\n";
  }
  if (report.ok && divided.rest && prints_text && !a.quiet) {
    std::cout << "\nThe rest of the model, for ONNX Runtime:\n" << report_text(*divided.rest) << rest_code(a.rest);
  }
  const bool validates = a.validate && report.ok;
  nlohmann::json validation;
  const int code = validates ? validate(a, output, a.json.wanted ? &validation : nullptr) : kDone;
  if (a.json.wanted) {
    nlohmann::json json = report_json(report);
    if (a.validate) json["validation"] = validation;
    if (report.ok && divided.rest) json["rest"] = report_json(*divided.rest);
    print_json(json, a.json);
    if (validates && prints_text) std::cout << validation_text(validation);
  }
  return report.ok && code != kDone ? code : exit_code(report);
}

}  // namespace fluid2onnx::cli

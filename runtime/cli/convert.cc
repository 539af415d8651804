#include <iostream>
#include <nlohmann/json.hpp>

#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"
#include "runtime/cli/progress.h"
#include "runtime/driver/convert_file.h"
#include "runtime/driver/report_json.h"

namespace fluid2onnx::cli {

int convert(const Arguments& a) {
  const std::string output = a.output.empty() ? default_output(a.model) : a.output;
  const Report report = [&] {
    ProgressLine line(!a.quiet);
    ConvertOptions options = a.options;
    if (line.active()) {
      options.progress = [&](const char* what, uint64_t done, uint64_t total) { line.show(what, done, total); };
    }
    return convert_file(a.model, output, options, a.files);
  }();
  if (!report.ok) std::cerr << problems_text(report.problems, report.opset, report.lowest_opset);
  if (a.json.wanted) print_json(report_json(report), a.json);
  if (!report.ok) return exit_code(report);
  if (!a.quiet && !a.json.to_stdout()) std::cout << report_text(report);
  return kDone;
}

}  // namespace fluid2onnx::cli

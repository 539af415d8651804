#include <iostream>
#include <nlohmann/json.hpp>

#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"
#include "runtime/driver/convert_file.h"
#include "runtime/driver/report_json.h"

namespace fluid2onnx::cli {

int convert(const Arguments& a) {
  const std::string output = a.output.empty() ? default_output(a.model) : a.output;
  const Report report = convert_file(a.model, output, a.options, a.files);
  if (!report.ok) std::cerr << problems_text(report.problems, report.opset, report.lowest_opset);
  if (a.json.wanted) print_json(report_json(report), a.json);
  if (!report.ok) return kCannotConvert;
  if (!a.quiet && !a.json.to_stdout()) std::cout << report_text(report);
  return kDone;
}

}  // namespace fluid2onnx::cli

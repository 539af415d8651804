#include <iostream>
#include <nlohmann/json.hpp>

#include "runtime/api/convert_onnx.h"
#include "runtime/api/either_way.h"
#include "runtime/api/inspection.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"

namespace fluid2onnx::cli {
namespace {

void print(const nlohmann::json& report, const std::string& text, const JsonTarget& target) {
  if (target.wanted) print_json(report, target);
  if (!target.to_stdout()) std::cout << text;
}

}  // namespace

int inspect(const Arguments& a) {
  if (!a.html.empty()) return page(a);
  if (is_onnx_file(a.model)) {
    const OnnxInspection found = inspect_onnx_file(a.model, a.options, a.files);
    print(inspection_json(found, a.list_ops), inspection_text(found, a.list_ops), a.json);
    return exit_code(found.report);
  }
  const Inspection found = inspect_file(a.model, a.options, a.files);
  print(inspection_json(found, a.list_ops), inspection_text(found, a.options, a.list_ops), a.json);
  return found.convertible ? exit_code(found.report) : kCannotConvert;
}

}  // namespace fluid2onnx::cli

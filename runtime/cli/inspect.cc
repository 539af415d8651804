#include <iostream>
#include <nlohmann/json.hpp>

#include "runtime/api/convert_onnx.h"
#include "runtime/api/either_way.h"
#include "runtime/api/inspection.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"

namespace fluid2onnx::cli {

int inspect(const Arguments& a) {
  if (!a.html.empty()) return page(a);
  if (is_onnx_file(a.model)) {
    const OnnxInspection found = inspect_onnx_file(a.model, a.options, a.files);
    if (a.json.wanted) print_json(inspection_json(found, a.list_ops), a.json);
    if (!a.json.to_stdout()) std::cout << inspection_text(found, a.list_ops);
    return exit_code(found.report);
  }
  const Inspection found = inspect_file(a.model, a.options, a.files);
  if (a.json.wanted) print_json(inspection_json(found, a.list_ops), a.json);
  if (!a.json.to_stdout()) std::cout << inspection_text(found, a.options, a.list_ops);
  return found.convertible ? exit_code(found.report) : kCannotConvert;
}

}  // namespace fluid2onnx::cli

#include "runtime/driver/inspection.h"

#include <nlohmann/json.hpp>

#include "runtime/driver/convert_model.h"
#include "runtime/driver/report_json.h"
#include "runtime/program/inspect.h"
#include "runtime/program/open_model.h"

namespace fluid2onnx {
namespace {

int lowest_opset(const Program& program, ConvertOptions options) {
  options.opset = kOldestOpset;
  const ConvertResult result = convert_model(program, options);
  return result.report.ok ? kOldestOpset : result.report.lowest_opset;
}

}  // namespace

Inspection inspect_file(const std::string& model, const ConvertOptions& options, const FileOptions& files) {
  OpenOptions open;
  open.params_path = files.params;
  open.require_outputs = false;
  Inspection found;
  found.program = open_model(model, open);
  found.convertible = !found.program.outputs.empty() || !options.outputs.empty();
  if (found.convertible) {
    found.report = convert_model(found.program, options).report;
    found.lowest_opset = lowest_opset(found.program, options);
  }
  return found;
}

nlohmann::json inspection_json(const Inspection& inspection) {
  nlohmann::json json = describe_json(inspection.program);
  json["conversion"] = inspection.convertible ? report_json(inspection.report) : nlohmann::json();
  json["lowest_opset"] = inspection.lowest_opset ? nlohmann::json(inspection.lowest_opset) : nlohmann::json();
  return json;
}

}  // namespace fluid2onnx

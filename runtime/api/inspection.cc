#include "runtime/api/inspection.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/paddle/program/inspect.h"
#include "runtime/paddle/read/open_model.h"
#include "runtime/paddle/read/placeholders.h"
#include "runtime/report/report_json.h"
#include "runtime/support/error.h"
#include "runtime/to_onnx/convert_model.h"
#include "runtime/to_onnx/cut.h"
#include "runtime/to_onnx/opset_search.h"
#include "runtime/to_onnx/own_signature.h"

namespace fluid2onnx {
namespace {

/// Without its parameters' file, what the program declares of them is enough to tell most.
Program open_program(const std::string& model, OpenOptions options) {
  try {
    return open_model(model, options);
  } catch (const Error& error) {
    if (error.code() != E_NO_PARAMS || !options.params_path.empty()) throw;
    options.load_parameters = false;
    Program program = open_model(model, options);
    if (!add_placeholders(program)) throw;
    program.warnings.push_back("the parameter file is missing; zeros of the declared shapes are used");
    return program;
  }
}

}  // namespace

Inspection inspect_file(const std::string& model, const ConvertOptions& options, const FileOptions& files) {
  OpenOptions reading;
  reading.params_path = files.params;
  reading.require_outputs = false;
  Inspection found;
  found.program = open_program(model, reading);
  if (options.specs) take_names(*options.specs, &found.program);
  found.convertible = !found.program.outputs.empty() || !options.outputs.empty();
  if (found.convertible) {
    found.report = convert_model(found.program, options).report;
    // What no opset has a converter for need not be tried.
    const auto& problems = found.report.problems;
    const bool hopeless =
        std::any_of(problems.begin(), problems.end(), [](const Problem& p) { return p.unsupported(); });
    if (!hopeless && options.find_lowest_opset) found.opsets = converting_opsets(found.program, options);
    if (!found.report.ok) found.cut = cut_before(problems, found.program, options);
  }
  return found;
}

nlohmann::json inspection_json(const Inspection& inspection) {
  nlohmann::json json = describe_json(inspection.program);
  json["conversion"] = inspection.convertible ? report_json(inspection.report) : nlohmann::json();
  const std::vector<int>& opsets = inspection.opsets;
  json["lowest_opset"] = opsets.empty() ? nlohmann::json() : nlohmann::json(opsets.front());
  json["opsets"] = opsets;
  const Cut& cut = inspection.cut;
  json["cut"] = nullptr;
  if (!cut.outputs.empty()) {
    json["cut"] = {{"outputs", cut.outputs}, {"operators", cut.operators}, {"of", inspection.report.operator_count()}};
  }
  return json;
}

}  // namespace fluid2onnx

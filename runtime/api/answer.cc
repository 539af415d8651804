#include "runtime/api/answer.h"

#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/api/convert_onnx.h"
#include "runtime/api/either_way.h"
#include "runtime/api/inspection.h"
#include "runtime/api/request.h"
#include "runtime/paddle/program/inspect.h"
#include "runtime/report/exit_code.h"
#include "runtime/report/problems_text.h"
#include "runtime/report/report_json.h"
#include "runtime/support/error.h"
#include "runtime/support/json_text.h"

namespace fluid2onnx {
namespace {

using nlohmann::json;

json failed(json answer, std::string text, int exit_status) {
  answer["text"] = std::move(text);
  answer["exit_status"] = exit_status;
  return answer;
}

json failed(const Error& error) { return failed(error_json(error), error.what(), exit_code(error)); }

json run_request(const std::string& command, const std::string& text, const AnswerHooks& hooks) {
  Request request = read_request(json::parse(text, nullptr, false));
  if (!request.specs.empty()) {
    if (!hooks.load_specs) throw Error(E_USAGE, "specs at run time are not available here").at("specs");
    request.options.specs = hooks.load_specs(request.specs);
  }
  request.options.progress = hooks.progress;
  if (command == "operators") return operators_json();
  if (command == "inspect" && is_onnx_file(request.model)) {
    return inspection_json(inspect_onnx_file(request.model, request.options, request.files), request.list_ops);
  }
  if (command == "inspect") {
    return inspection_json(inspect_file(request.model, request.options, request.files), request.list_ops);
  }
  if (command != "convert") throw Error(E_USAGE, "command '" + command + "' does not exist");
  const Report report = convert_either(request.model, request.output, request.options, request.files);
  if (report.ok) return report_json(report);
  return failed(report_json(report), problems_text(report.problems, report.opset, report.working_opset),
                exit_code(report));
}

json answer_to(const std::string& command, const std::string& request, const AnswerHooks& hooks) {
  try {
    return run_request(command, request, hooks);
  } catch (const Error& e) {
    return failed(e);
  } catch (const std::exception& e) {
    return failed(error_of(e));
  }
}

}  // namespace

std::string answer(const std::string& command, const std::string& request, const AnswerHooks& hooks) {
  return json_text(answer_to(command, request, hooks));
}

}  // namespace fluid2onnx

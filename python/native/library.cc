#include "python/native/library.h"

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "interpreter/load.h"
#include "runtime/api/convert_onnx.h"
#include "runtime/api/either_way.h"
#include "runtime/api/inspection.h"
#include "runtime/api/request.h"
#include "runtime/cli/output.h"
#include "runtime/cli/program.h"
#include "runtime/paddle/program/inspect.h"
#include "runtime/report/report_json.h"
#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

using nlohmann::json;

json failed(json answer, std::string text, int exit_status) {
  answer["text"] = std::move(text);
  answer["exit_status"] = exit_status;
  return answer;
}

json run(const std::string& command, const std::string& text) {
  Request request = read_request(json::parse(text, nullptr, false));
  if (!request.specs.empty()) request.options.specs = load_specs(request.specs);
  if (command == "operators") return operators_json();
  if (command == "inspect" && is_onnx_file(request.model)) {
    return inspection_json(inspect_onnx_file(request.model, request.options, request.files), request.list_ops);
  }
  if (command == "inspect") {
    const Inspection found = inspect_file(request.model, request.options, request.files);
    json answer = inspection_json(found);
    if (request.list_ops) {
      answer["op_list"] = ops_json(found.program);
      answer["variables"] = variables_json(found.program);
    }
    return answer;
  }
  if (command != "convert") throw Error(E_USAGE, "there is no command '" + command + "'");
  const Report report = convert_either(request.model, request.output, request.options, request.files);
  if (report.ok) return report_json(report);
  return failed(report_json(report), problems_text(report.problems, report.opset, report.lowest_opset),
                cli::exit_code(report));
}

json answer_to(const std::string& command, const std::string& text) {
  try {
    return run(command, text);
  } catch (const Error& e) {
    return failed(error_json(e), e.what(), cli::exit_code(e));
  } catch (const std::bad_alloc&) {
    const Error e(E_MEMORY, "not enough memory");
    return failed(error_json(e), e.what(), cli::exit_code(e));
  } catch (const std::exception& e) {
    Error error(E_INTERNAL, e.what());
    error.hint("report this bug of fluid2onnx with the model");
    return failed(error_json(error), error.what(), cli::exit_code(error));
  }
}

}  // namespace
}  // namespace fluid2onnx

int fluid2onnx_main(int argc, char** argv) { return fluid2onnx::cli::run_program(argc, argv); }

char* fluid2onnx_call(const char* command, const char* request) {
  try {
    return ::strdup(fluid2onnx::json_text(fluid2onnx::answer_to(command, request)).c_str());
  } catch (const std::exception&) {
    return nullptr;
  }
}

void fluid2onnx_free(char* answer) { std::free(answer); }

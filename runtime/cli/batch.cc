#include <filesystem>
#include <iostream>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "interpreter/load.h"
#include "runtime/api/either_way.h"
#include "runtime/api/request.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"
#include "runtime/support/json_text.h"

namespace fluid2onnx::cli {
namespace {

using nlohmann::json;

std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) line += c == '\n' || c == '\r' ? ' ' : c;
  return line;
}

json refusal(ErrorCode code, const std::string& message) {
  return {{"ok", false}, {"code", code_name(code)}, {"message", one_line(message)}, {"lowest_opset", nullptr}};
}

json refusal(const Error& error) {
  return refusal(error.code(), (error.place().empty() ? "" : error.place() + ": ") + error.message());
}

json reply_to(const Request& request) {
  for (const auto& [member, value] : {std::pair("model", &request.model), std::pair("output", &request.output)}) {
    if (value->empty()) throw Error(E_USAGE, std::string("the request needs '") + member + "'");
  }
  const Report report = convert_either(request.model, request.output, request.options, request.files);
  if (report.ok) return {{"ok", true}, {"nodes", report.node_count()}, {"warnings", report.warnings}};
  const Problem& first = report.problems.front();
  json reply = refusal(first.code, first.place() + ": " + first.message);
  if (report.working_opset > 0) reply["lowest_opset"] = report.working_opset;
  if (!first.spec.empty()) reply["spec"] = first.spec;
  for (const Problem& p : report.problems) reply["ops"].emplace(p.op_type, p.message);
  return reply;
}

/// Loaded once.
std::shared_ptr<const AddedConverters> specs_of(const Request& request) {
  static std::map<std::vector<std::string>, std::shared_ptr<const AddedConverters>> loaded;
  if (request.specs.empty()) return nullptr;
  auto& specs = loaded[request.specs];
  if (!specs) specs = load_specs(request.specs);
  return specs;
}

json serve(const std::string& line) {
  std::string output;
  json reply;
  try {
    Request request = read_request(json::parse(line, nullptr, false));
    output = request.output;
    request.options.specs = specs_of(request);
    reply = reply_to(request);
  } catch (const Error& e) {
    reply = refusal(e);
  } catch (const std::exception& e) {
    reply = refusal(error_of(e));
  }
  // Not even the result of an earlier request.
  std::error_code ignored;
  if (!reply["ok"] && !output.empty()) std::filesystem::remove(output, ignored);
  return reply;
}

}  // namespace

int batch() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << json_line(serve(line)) << "\n" << std::flush;
  }
  return kDone;
}

}  // namespace fluid2onnx::cli

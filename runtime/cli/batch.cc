#include <algorithm>
#include <filesystem>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"
#include "runtime/driver/convert_file.h"

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

Error bad_request(const std::string& message) { return Error(E_USAGE, message); }

std::string text_member(const json& request, const char* name, bool required) {
  const auto member = request.find(name);
  if (member == request.end() || member->is_null()) {
    if (required) throw bad_request(std::string("the request has no '") + name + "'");
    return "";
  }
  if (!member->is_string()) throw bad_request(std::string("'") + name + "' is no string");
  return member->get<std::string>();
}

InputShape shape_member(const json& list) {
  InputShape shape;
  if (!list.is_array()) throw bad_request("a shape is no list");
  for (const json& dim : list) {
    if (dim.is_string()) {
      shape.push_back({-1, dim.get<std::string>()});
    } else if (dim.is_number_integer()) {
      if (dim.get<int64_t>() == 0) throw bad_request("a size is 0");
      shape.push_back({std::max<int64_t>(-1, dim.get<int64_t>()), ""});
    } else if (dim.is_null()) {
      shape.push_back({});
    } else {
      throw bad_request("a dim is neither a number nor a name");
    }
  }
  return shape;
}

json answer(const json& request, const std::string& model, const std::string& out) {
  ConvertOptions options;
  FileOptions files;
  files.params = text_member(request, "params", false);
  if (const auto opset = request.find("opset"); opset != request.end() && !opset->is_null()) {
    if (!opset->is_number_integer()) throw bad_request("'opset' is no number");
    options.opset = static_cast<int>(opset->get<int64_t>());
  }
  if (const auto shapes = request.find("input_shapes"); shapes != request.end() && !shapes->is_null()) {
    if (!shapes->is_object()) throw bad_request("'input_shapes' is no object");
    for (const auto& [name, list] : shapes->items()) options.input_shapes[name] = shape_member(list);
  }
  if (const std::string precision = text_member(request, "precision", false); !precision.empty()) {
    options.precision.to = precision == "float16"    ? Dtype::float16
                           : precision == "bfloat16" ? Dtype::bfloat16
                                                     : throw bad_request("'precision' is float16 or bfloat16");
  }
  if (const std::string lod = text_member(request, "lod", false); !lod.empty()) {
    options.lod = lod == "single"    ? LodMode::single
                  : lod == "lengths" ? LodMode::lengths
                                     : throw bad_request("'lod' is single or lengths");
  }

  const Report report = convert_file(model, out, options, files);
  if (report.ok) return {{"ok", true}, {"nodes", report.node_count()}, {"warnings", report.warnings}};
  const Problem& first = report.problems.front();
  json reply = refusal(first.code, first.place() + ": " + first.message);
  if (report.lowest_opset > 0) reply["lowest_opset"] = report.lowest_opset;
  for (const Problem& p : report.problems) reply["ops"].emplace(p.op_type, p.message);
  return reply;
}

json serve(const std::string& line) {
  std::string out;
  json reply;
  try {
    const json request = json::parse(line, nullptr, false);
    if (!request.is_object()) return refusal(E_USAGE, "the request is no JSON object");
    const std::string model = text_member(request, "model", true);
    out = text_member(request, "out", true);
    reply = answer(request, model, out);
  } catch (const std::bad_alloc&) {
    reply = refusal(E_MEMORY, "not enough memory");
  } catch (const Error& e) {
    reply = refusal(e.code(), (e.place().empty() ? "" : e.place() + ": ") + e.message());
  } catch (const std::exception& e) {
    reply = refusal(E_INTERNAL, e.what());
  }
  // Not even the result of an earlier request.
  std::error_code ignored;
  if (!reply["ok"] && !out.empty()) std::filesystem::remove(out, ignored);
  return reply;
}

}  // namespace

int batch() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << serve(line).dump(-1, ' ', false, json::error_handler_t::replace) << "\n" << std::flush;
  }
  return kDone;
}

}  // namespace fluid2onnx::cli

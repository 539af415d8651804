#include "python/native/library.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/cli/output.h"
#include "runtime/cli/program.h"
#include "runtime/driver/convert_file.h"
#include "runtime/driver/inspection.h"
#include "runtime/driver/report_json.h"
#include "runtime/program/inspect.h"
#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

using nlohmann::json;

struct Request {
  std::string model, output;
  ConvertOptions options;
  FileOptions files;
};

void read_names(const json& value, std::set<std::string, std::less<>>* names) {
  for (const json& name : value) names->insert(name.get<std::string>());
}

Weights read_weights(const std::string& text) {
  if (text == "auto") return Weights::automatic;
  if (text == "inline") return Weights::inlined;
  if (text == "external") return Weights::external;
  if (text == "reference") return Weights::reference;
  throw Error(E_USAGE, "'" + text + "' is none of auto, inline, external, reference").at("weights");
}

void read_member(const std::string& key, const json& value, Request* request) {
  ConvertOptions& options = request->options;
  if (key == "model") {
    request->model = value;
  } else if (key == "output") {
    request->output = value;
  } else if (key == "params") {
    request->files.params = value;
  } else if (key == "opset") {
    options.opset = value;
  } else if (key == "input_shapes") {
    for (const auto& [name, dims] : value.items()) {
      try {
        options.input_shapes[name] = parse_input_shape(dims);
      } catch (const Error& e) {
        throw Error(e.code(), e.message()).at("input_shapes");
      }
    }
  } else if (key == "inputs") {
    options.inputs = value.get<std::vector<std::string>>();
  } else if (key == "outputs") {
    options.outputs = value.get<std::vector<std::string>>();
  } else if (key == "renames") {
    for (const auto& [from, to] : value.items()) options.renames[from] = to;
  } else if (key == "dim_names") {
    options.dim_prefix = value;
  } else if (key == "allow") {
    read_names(value, &options.approximations);
  } else if (key == "lod") {
    options.lod = value == "single" ? LodMode::single : LodMode::lengths;
  } else if (key == "weights") {
    request->files.weights = read_weights(value);
  } else if (key == "precision") {
    options.precision.to = value == "float16" ? Dtype::float16 : Dtype::bfloat16;
  } else if (key == "half_io") {
    options.precision.ports = value;
  } else if (key == "float32_ops") {
    read_names(value, &options.precision.keep);
  } else if (key == "half_ops") {
    read_names(value, &options.precision.lower);
  } else if (key == "sync") {
    request->files.sync = value;
  } else {
    throw Error(E_USAGE, "there is no option '" + key + "'");
  }
}

json failed(json answer, std::string text, int exit_status) {
  answer["text"] = std::move(text);
  answer["exit_status"] = exit_status;
  return answer;
}

json run(const std::string& command, const std::string& text) {
  Request request;
  const json members = json::parse(text);
  for (const auto& [key, value] : members.items()) read_member(key, value, &request);
  if (command == "operators") return operators_json();
  if (command == "inspect") return inspection_json(inspect_file(request.model, request.options, request.files));
  if (command != "convert") throw Error(E_USAGE, "there is no command '" + command + "'");
  const Report report = convert_file(request.model, request.output, request.options, request.files);
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
    error.hint("this is a bug of fluid2onnx; please report it with the model");
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

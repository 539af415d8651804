#include "runtime/api/request.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "runtime/support/error.h"
#include "runtime/support/json_text.h"

namespace fluid2onnx {
namespace {

using nlohmann::json;

void read_names(const json& value, std::set<std::string, std::less<>>* names) {
  for (const json& name : value) names->insert(name.get<std::string>());
}

InputShape read_shape(const json& value) {
  if (value.is_string()) return parse_input_shape(value.get<std::string>());
  if (!value.is_array()) throw Error(E_USAGE, "a shape must be a list or a string");
  std::string text;
  for (const json& dim : value) {
    if (!dim.is_string() && !dim.is_number_integer() && !dim.is_null()) {
      throw Error(E_USAGE, "a dimension must be a number or a name");
    }
    text += text.empty() ? "" : ",";
    text += dim.is_null() ? "?" : dim.is_string() ? dim.get<std::string>() : std::to_string(dim.get<int64_t>());
  }
  return parse_input_shape(text);
}

template <class T>
T one_of(const json& value, const std::string& option, const std::vector<std::pair<const char*, T>>& choices) {
  std::string names;
  for (const auto& [name, choice] : choices) {
    if (value == name) return choice;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  const std::string given = value.is_string() ? value.get<std::string>() : value.dump();
  throw Error(E_USAGE, "'" + given + "' is not one of " + names).at(option);
}

/// The system would end the path at a zero byte.
std::string path_of(const json& value) {
  std::string path = value.get<std::string>();
  if (path.find('\0') != std::string::npos) throw Error(E_USAGE, "the path contains a zero byte");
  return path;
}

Error wrong_type(const json& value) { return Error(E_USAGE, "wrong type: " + json_line(value)); }

int integer_of(const json& value) {
  using Limits = std::numeric_limits<int>;
  if (!value.is_number_integer() || value < Limits::min() || value > Limits::max()) throw wrong_type(value);
  return value.get<int>();
}

void read_member(const std::string& key, const json& value, Request* request) {
  ConvertOptions& options = request->options;
  if (value.is_null()) return;
  if (key == "model") {
    request->model = path_of(value);
  } else if (key == "output") {
    request->output = path_of(value);
  } else if (key == "params") {
    request->files.params = path_of(value);
  } else if (key == "opset") {
    options.opset = integer_of(value);
  } else if (key == "target") {
    // Read with the opset.
  } else if (key == "ir_version") {
    options.ir_version = integer_of(value);
  } else if (key == "input_shapes") {
    for (const auto& [name, dims] : value.items()) options.input_shapes[name] = read_shape(dims);
  } else if (key == "inputs") {
    options.inputs = value.get<std::vector<std::string>>();
  } else if (key == "outputs") {
    options.outputs = value.get<std::vector<std::string>>();
  } else if (key == "renames") {
    for (const auto& [from, to] : value.items()) options.renames[from] = to;
  } else if (key == "dim_names") {
    options.dim_prefix = value;
  } else if (key == "lod") {
    options.lod = one_of<LodMode>(value, key, {{"lengths", LodMode::lengths}, {"single", LodMode::single}});
  } else if (key == "weights") {
    request->files.weights = parse_weights(value, key);
  } else if (key == "precision") {
    options.precision.to = one_of<Dtype>(value, key, {{"float16", Dtype::float16}, {"bfloat16", Dtype::bfloat16}});
  } else if (key == "half_io") {
    options.precision.ports = value;
  } else if (key == "float32_ops") {
    read_names(value, &options.precision.keep);
  } else if (key == "half_ops") {
    read_names(value, &options.precision.lower);
  } else if (key == "fuse") {
    options.fuse = value;
  } else if (key == "sync") {
    request->files.sync = value;
  } else if (key == "custom_ops") {
    for (const auto& [type, op] : value.items())
      options.custom_ops.insert(parse_custom_op(type + "=" + op.get<std::string>()));
  } else if (key == "continue_on_error") {
    options.continue_on_error = value;
  } else if (key == "specs") {
    request->specs = value.get<std::vector<std::string>>();
  } else if (key == "find_opsets") {
    options.find_working_opset = value;
  } else if (key == "list_ops") {
    request->list_ops = value;
  } else {
    throw Error(E_USAGE, "unknown option");
  }
}

}  // namespace

Request read_request(const json& members, const Request& base) {
  if (!members.is_object()) throw Error(E_USAGE, "the request must be a JSON object");
  Request request = base;
  for (const auto& [key, value] : members.items()) {
    try {
      read_member(key, value, &request);
    } catch (const Error& e) {
      throw Error(e.code(), e.message()).at(key);
    } catch (const json::exception&) {
      throw wrong_type(value).at(key);
    }
  }
  if (members.contains("target") && members["target"].is_string()) {
    const bool opset_given = members.contains("opset") && !members["opset"].is_null();
    choose_target(members["target"].get<std::string>(), opset_given, &request.options);
  }
  return request;
}

Weights parse_weights(const std::string& text, const std::string& option) {
  return one_of<Weights>(text, option,
                         {{"auto", Weights::automatic},
                          {"inline", Weights::inlined},
                          {"external", Weights::external},
                          {"reference", Weights::reference}});
}

}  // namespace fluid2onnx

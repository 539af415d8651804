#include "runtime/report/signature.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <string_view>

#include "runtime/convert/complex.h"
#include "runtime/support/error.h"
#include "runtime/support/has_item.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

std::vector<std::string> names_of_inputs(const Program& program) {
  std::vector<std::string> names;
  for (const Input& input : program.inputs) names.push_back(input.name);
  return names;
}

std::vector<std::string> names_of_variables(const Program& program) {
  std::vector<std::string> names;
  for (const auto& [name, variable] : program.main().variables) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

Error usage(const std::string& message) { return Error(E_USAGE, message); }

const Variable& variable_of(const Program& program, const std::string& name, const std::string& option) {
  const Variable* variable = program.main().find(name);
  if (!variable) {
    throw usage("the model has no variable '" + name + "'" + did_you_mean(name, names_of_variables(program)))
        .at(option)
        .hint("'fluid2onnx inspect MODEL --ops' lists the operators with their variables");
  }
  return *variable;
}

/// Paddle also declares 0 where a tensor gives the size.
std::optional<InputShape> declared_dims(const Variable& variable) {
  if (!variable.dims) return std::nullopt;
  InputShape dims;
  for (const int64_t dim : *variable.dims) dims.push_back({dim <= 0 ? -1 : dim, ""});
  return dims;
}

void check_tensor(const Variable& variable, const std::string& name) {
  if (variable.kind == VariableKind::tensor) return;
  throw Error(E_UNSUPPORTED, "'" + name + "' is a " + variable_kind_name(variable.kind) +
                                 "; inputs and outputs of the model must be tensors");
}

void override_dims(const Program& program, const ConvertOptions& options, Port* port,
                   std::vector<std::string>* warnings) {
  const auto given = options.input_shapes.find(port->variable);
  if (given == options.input_shapes.end()) return;
  const Variable* declared = program.main().find(port->variable);
  if (!port->cut && declared && declared->dims && declared->dims->size() != given->second.size()) {
    throw usage("input '" + port->variable + "' is " + type_text(declared->dtype, declared->dims) + ", but " +
                count_of(given->second.size(), "dim") + " are given")
        .at("--input-shape");
  }
  for (size_t i = 0; !port->cut && declared && declared->dims && i < given->second.size(); ++i) {
    const int64_t fixed = (*declared->dims)[i];
    if (fixed < 0 || fixed == given->second[i].size) continue;
    warnings->push_back("dim " + std::to_string(i) + " of input '" + port->variable + "' is " + std::to_string(fixed) +
                        " in the program, which may rely on it");
  }
  port->dims = given->second;
}

Port make_port(const Program& program, const ConvertOptions& options, const std::string& variable_name,
               const std::string& shown, const std::string& option) {
  const Variable& variable = variable_of(program, variable_name, option);
  check_tensor(variable, variable_name);
  Port port;
  port.variable = variable_name;
  port.name = shown;
  port.dtype = part_dtype(variable.dtype);
  port.dims = declared_dims(variable);
  for (const std::string& key : {variable_name, shown}) {
    const auto renamed = options.renames.find(key);
    if (renamed != options.renames.end()) port.name = renamed->second;
  }
  return port;
}

void check_names(const Signature& signature, const ConvertOptions& options) {
  std::vector<std::string> known;
  std::set<std::string> used;
  for (const auto* ports : {&signature.inputs, &signature.outputs}) {
    for (const Port& port : *ports) {
      known.push_back(port.variable);
      // An input that is an output as well gets a second name in the graph; two renames to one name are a mistake.
      const bool renamed = options.renames.count(port.variable) != 0;
      if (!used.insert(port.name).second && renamed) {
        throw usage("two inputs or outputs would have the name '" + port.name + "'").at("--rename");
      }
    }
  }
  for (const auto& [from, to] : options.renames) {
    if (to.empty()) throw usage("the new name of '" + from + "' is empty").at("--rename");
    if (!has_item(known, from)) {
      throw usage("'" + from + "' is not an input or output of the model" + did_you_mean(from, known)).at("--rename");
    }
  }
}

}  // namespace

void name_dims(const ConvertOptions& options, Port* port, int* named) {
  if (!port->dims) return;
  for (size_t i = 0; i < port->dims->size(); ++i) {
    InputDim& dim = (*port->dims)[i];
    if (dim.size >= 0 || !dim.name.empty()) continue;
    const bool by_port = options.dim_prefix.empty();
    dim.name =
        (by_port ? port->name : options.dim_prefix) + "." + std::to_string(by_port ? static_cast<int>(i) : (*named)++);
  }
}

std::string port_text(const Port& port) {
  std::string text(dtype_name(port.dtype));
  if (!port.dims) return text + " of unknown rank";
  text += "[";
  for (size_t i = 0; i < port.dims->size(); ++i) {
    const InputDim& dim = (*port.dims)[i];
    text += (i ? ", " : "") + (dim.size >= 0 ? std::to_string(dim.size) : dim.name.empty() ? "?" : dim.name);
  }
  return text + "]";
}

constexpr char kDims[] = "expected a size of at least 1, a name, ? or -1";

InputShape parse_input_shape(const std::string& text) {
  InputShape shape;
  if (text.empty()) return shape;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    const std::string word = text.substr(start, end - start);
    start = end + 1;
    InputDim dim;
    const auto [stop, problem] = std::from_chars(word.data(), word.data() + word.size(), dim.size);
    const bool number = problem == std::errc() && stop == word.data() + word.size();
    if (word.empty()) {
      throw usage("'" + text + "' has an empty dim; " + kDims);
    } else if (number ? dim.size < 1 && dim.size != -1
                      : problem == std::errc::result_out_of_range || word[0] == '-' ||
                            std::isdigit(static_cast<unsigned char>(word[0]))) {
      throw usage("'" + word + "' in '" + text + "' is not a dimension; " + kDims);
    } else if (!number) {
      dim.size = -1;
      if (word != "?") dim.name = word;
    }
    shape.push_back(std::move(dim));
  }
  return shape;
}

Signature plan_signature(const Program& program, const ConvertOptions& options) {
  Signature signature;
  const std::vector<std::string> own = names_of_inputs(program);
  const std::set<std::string_view> own_names(own.begin(), own.end());
  std::set<std::string_view> seen;
  for (const std::string& name : options.inputs.empty() ? own : options.inputs) {
    Port port = make_port(program, options, name, name, "--inputs");
    port.cut = !own_names.contains(name);
    override_dims(program, options, &port, &signature.warnings);
    name_dims(options, &port, &signature.named_dims);
    if (port.dtype == Dtype::undefined) {
      throw Error(E_BAD_PROGRAM, "the program does not declare the dtype of input '" + name + "'");
    }
    if (!seen.insert(name).second) throw usage("'" + name + "' is listed twice").at("--inputs");
    signature.inputs.push_back(std::move(port));
  }
  for (const auto& [name, shape] : options.input_shapes) {
    if (seen.contains(name)) continue;
    std::vector<std::string> known;
    for (const Port& port : signature.inputs) known.push_back(port.variable);
    Error error = usage("the model has no input '" + name + "'" + did_you_mean(name, known));
    throw error.at("--input-shape").hint(known.empty() ? "the model has no inputs" : "the inputs are " + listed(known));
  }

  if (options.outputs.empty()) {
    for (const Output& output : program.outputs) {
      signature.outputs.push_back(make_port(program, options, output.value, output.name, "output"));
    }
  } else {
    for (const std::string& name : options.outputs) {
      // A name that the model's outputs have for the user may differ from the variable's.
      std::string variable = name;
      for (const Output& output : program.outputs) {
        if (output.name == name) variable = output.value;
      }
      signature.outputs.push_back(make_port(program, options, variable, name, "--outputs"));
    }
  }
  if (signature.outputs.empty()) throw Error(E_BAD_PROGRAM, "the model has no outputs");
  check_names(signature, options);
  return signature;
}

std::string lengths_text(const Port& port) {
  std::string text;
  for (const std::string& name : port.lengths) text += (text.empty() ? ", sequences by " : " and ") + name;
  return text;
}

}  // namespace fluid2onnx

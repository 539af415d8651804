#include "runtime/paddle/program/inspect.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/paddle/program/attribute_text.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

using nlohmann::json;

std::map<std::string, int64_t> op_histogram(const Program& program) {
  std::map<std::string, int64_t> counts;
  for (const Block& block : program.blocks) {
    for (const Op& op : block.ops) ++counts[op.type];
  }
  return counts;
}

size_t op_count(const Program& program) {
  size_t count = 0;
  for (const Block& block : program.blocks) count += block.ops.size();
  return count;
}

uint64_t parameter_bytes(const Program& program) {
  uint64_t bytes = 0;
  for (const auto& [name, parameter] : program.parameters) bytes += parameter.data.length;
  return bytes;
}

/// Whether parameters were asked for: a program that declares some and has none was only looked at.
bool parameters_loaded(const Program& program) {
  if (!program.parameters.empty()) return true;
  const auto& variables = program.main().variables;
  return std::none_of(variables.begin(), variables.end(), [](const auto& entry) {
    return entry.second.persistable && entry.second.kind == VariableKind::tensor;
  });
}

const char* format_name(ProgramFormat format) {
  return format == ProgramFormat::program_desc ? "program_desc" : "pir_json";
}

std::string port_text(const Program& program, const std::string& name, const std::string& value) {
  const Variable* variable = program.find_variable(0, value);
  if (!variable) return name;
  std::string text = name + ": " + type_text(variable->dtype, variable->dims);
  if (variable->kind != VariableKind::tensor) {
    text += std::string(", ") + variable_kind_name(variable->kind);
  }
  if (variable->lod_level > 0) text += ", LoD level " + std::to_string(variable->lod_level);
  return text;
}

PortLines declared_ports(const Program& program) {
  PortLines lines;
  for (const Input& input : program.inputs) lines.inputs.push_back(port_text(program, input.name, input.name));
  for (const Output& output : program.outputs) lines.outputs.push_back(port_text(program, output.name, output.value));
  return lines;
}

json shape_json(const std::optional<Shape>& dims) {
  if (!dims) return nullptr;
  json shape = json::array();
  for (const int64_t dim : *dims) shape.push_back(dim < 0 ? json() : json(dim));
  return shape;
}

json port_json(const Program& program, const std::string& name, const std::string& value) {
  json port{{"name", name}, {"dtype", nullptr}, {"shape", nullptr}, {"lod_level", 0}};
  const Variable* variable = program.find_variable(0, value);
  if (!variable) return port;
  port["dtype"] = std::string(dtype_name(variable->dtype));
  port["lod_level"] = variable->lod_level;
  port["shape"] = shape_json(variable->dims);
  return port;
}

}  // namespace

std::string describe_text(const Program& program, const std::optional<PortLines>& ports) {
  const bool is_desc = program.format == ProgramFormat::program_desc;
  std::string text = program.model_path + ": " + (is_desc ? "ProgramDesc, " : "PIR JSON, Paddle 3") +
                     (program.version ? "Paddle " : "") + (is_desc ? program.version_text() : "") + "\n";

  const PortLines lines = ports ? *ports : declared_ports(program);
  text += "\ninputs (" + std::to_string(lines.inputs.size()) + ")\n";
  for (const std::string& line : lines.inputs) text += "  " + line + "\n";
  text += "\noutputs (" + std::to_string(lines.outputs.size()) + ")\n";
  for (const std::string& line : lines.outputs) text += "  " + line + "\n";

  text += "\nparameters: ";
  if (!parameters_loaded(program)) {
    text += "not loaded\n";
  } else {
    text += std::to_string(program.parameters.size());
    if (!program.parameters.empty()) {
      text += ", " + bytes_text(parameter_bytes(program)) +
              (program.params_path.empty() ? " by their declarations" : " in " + program.params_path);
    }
    text += "\n";
  }

  if (program.blocks.size() > 1) {
    text += "\nblocks (" + std::to_string(program.blocks.size()) + ")\n";
    for (const Block& block : program.blocks) {
      text += "  " + std::to_string(block.index) + ": " + count_of(block.ops.size(), "op");
      if (block.parent >= 0) text += ", in block " + std::to_string(block.parent);
      text += "\n";
    }
  }

  text += "\nops (" + std::to_string(op_count(program)) + ")\n" + histogram_text(op_histogram(program));
  for (const std::string& warning : program.warnings) text += "\nwarning: " + warning + "\n";
  return text;
}

json describe_json(const Program& program) {
  json result{{"format", format_name(program.format)},
              {"model", program.model_path},
              {"params", nullptr},
              {"version", nullptr},
              {"inputs", json::array()},
              {"outputs", json::array()},
              {"parameters", nullptr},
              {"op_count", op_count(program)},
              {"ops", op_histogram(program)},
              {"blocks", json::array()},
              {"warnings", program.warnings}};
  if (!program.params_path.empty()) result["params"] = program.params_path;
  if (program.version) result["version"] = program.version_text();
  for (const Input& input : program.inputs) {
    result["inputs"].push_back(port_json(program, input.name, input.name));
  }
  for (const Output& output : program.outputs) {
    result["outputs"].push_back(port_json(program, output.name, output.value));
  }
  if (parameters_loaded(program)) {
    result["parameters"] = {{"count", program.parameters.size()}, {"bytes", parameter_bytes(program)}};
  }
  for (const Block& block : program.blocks) {
    result["blocks"].push_back({{"index", block.index},
                                {"parent", block.parent < 0 ? json(nullptr) : json(block.parent)},
                                {"ops", block.ops.size()},
                                {"variables", block.variables.size()}});
  }
  return result;
}

json ops_json(const Program& program) {
  const auto slots_json = [](const std::vector<Slot>& slots) {
    json result = json::object();
    for (const Slot& slot : slots) {
      if (!slot.args.empty()) result[slot.name] = slot.args;
    }
    return result;
  };
  const auto attributes_json = [](const AttributeList& attributes) {
    json result = json::object();
    for (const Attribute& attribute : attributes) result[attribute.name] = attribute_json(attribute);
    return result;
  };
  json list = json::array();
  for (const Block& block : program.blocks) {
    for (const Op& op : block.ops) {
      const std::string source = op.source.to_string();
      list.push_back({{"block", op.block},
                      {"index", op.index},
                      {"type", op.type},
                      {"inputs", slots_json(op.inputs)},
                      {"outputs", slots_json(op.outputs)},
                      {"attributes", attributes_json(op.attrs)},
                      {"source", source.empty() ? json() : json(source)}});
    }
  }
  return list;
}

json variables_json(const Program& program) {
  json list = json::object();
  // Inner blocks first: the main block's variable of a name is the one reported.
  for (auto block = program.blocks.rbegin(); block != program.blocks.rend(); ++block) {
    for (const auto& [name, variable] : block->variables) {
      const bool tensor = variable.kind == VariableKind::tensor;
      list[std::string(name)] = {
          {"dtype", tensor ? std::string(dtype_name(variable.dtype)) : variable_kind_name(variable.kind)},
          {"shape", shape_json(variable.dims)},
          {"parameter", false},
          {"bytes", nullptr}};
    }
  }
  for (const auto& [name, parameter] : program.parameters) {
    list[name] = {{"dtype", std::string(dtype_name(parameter.dtype))},
                  {"shape", parameter.dims},
                  {"parameter", true},
                  {"bytes", parameter.data.length}};
  }
  return list;
}

std::vector<std::pair<std::string, int64_t>> by_frequency(const std::map<std::string, int64_t>& counts) {
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

std::string histogram_text(const std::map<std::string, int64_t>& counts) {
  std::string text;
  for (const auto& [type, count] : by_frequency(counts)) {
    const std::string number = std::to_string(count);
    text += std::string(number.size() < 6 ? 6 - number.size() : 0, ' ') + number + "  " + type + "\n";
  }
  return text;
}

}  // namespace fluid2onnx

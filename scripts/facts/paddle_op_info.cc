// Prints what Paddle's new IR knows of every operator, and how its names map to those of older programs.
// paddle_3_3.py compiles this against the headers of the installed wheel and loads it next to Paddle.

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "paddle/fluid/ir_adaptor/translator/op_compat_info.h"
#include "paddle/fluid/pir/dialect/operator/interface/op_yaml_info.h"
#include "paddle/pir/include/core/ir_context.h"
#include "paddle/pir/include/core/op_info.h"

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

template <typename Range, typename Function>
std::string joined(const Range& range, Function print) {
  std::string out;
  for (const auto& item : range) out += (out.empty() ? "" : ", ") + print(item);
  return out;
}

template <typename Map, typename Function>
std::string object(const Map& map, Function print) {
  std::map<std::string, typename Map::mapped_type> sorted(map.begin(), map.end());
  return "{" + joined(sorted, [&](const auto& item) { return quoted(item.first) + ": " + print(item.second); }) + "}";
}

template <typename Range>
std::string strings(const Range& range) {
  return "[" + joined(range, quoted) + "]";
}

std::string flag(const char* name, bool value) { return value ? std::string(", \"") + name + "\": true" : ""; }

std::string print(const OpInfoTuple& info) {
  const auto& [inputs, attributes, outputs, runtime, legacy] = info;
  return "{\"inputs\": [" +
         joined(inputs,
                [](const paddle::dialect::OpInputInfo& input) {
                  return "{\"name\": " + quoted(input.name) + ", \"type\": " + quoted(input.type_name) +
                         flag("optional", input.optional) + flag("mutable", input.is_mutable_attribute) + "}";
                }) +
         "], \"outputs\": [" +
         joined(outputs,
                [](const paddle::dialect::OpOutputInfo& output) {
                  return "{\"name\": " + quoted(output.name) + ", \"type\": " + quoted(output.type_name) +
                         flag("optional", output.optional) + flag("intermediate", output.intermediate) + "}";
                }) +
         "], \"attrs\": [" +
         joined(attributes,
                [](const paddle::dialect::OpAttributeInfo& attribute) {
                  return "{\"name\": " + quoted(attribute.name) + ", \"type\": " + quoted(attribute.type_name) + "}";
                }) +
         "], \"inplace\": {" +
         joined(runtime.inplace, [](const auto& pair) { return quoted(pair.first) + ": " + quoted(pair.second); }) +
         "}, \"legacy\": " + quoted(legacy) + ", \"kernel\": " + quoted(runtime.kernel_func) +
         ", \"onednn\": " + (runtime.is_onednn_only ? "true" : "false") + "}";
}

}  // namespace

extern "C" void write_op_info(const char* path) {
  std::ofstream out(path);
  out << "{\"ops\": {";
  std::map<std::string, std::string> ops;
  std::set<std::string> others;
  for (const auto& [name, info] : pir::IrContext::Instance()->registered_op_info_map()) {
    auto* interface = info.GetInterfaceImpl<paddle::dialect::OpYamlInfoInterface>();
    if (interface != nullptr) {
      ops[name] = print(interface->get_op_info_(name));
    } else {
      others.insert(name);
    }
  }
  out << joined(ops, [](const auto& item) { return "\n" + quoted(item.first) + ": " + item.second; });
  out << "},\n\"without_signature\": " << strings(others);
  auto& names = paddle::translator::OpNameNormalizer::instance();
  const auto text = [](const std::string& value) { return quoted(value); };
  const auto list = [](const auto& value) { return strings(value); };
  out << ",\n\"names\": " << object(names.GetOpNameMappings(), text);
  out << ",\n\"arguments\": "
      << object(names.GetOpArgNameMappings(), [&](const auto& value) { return object(value, text); });
  out << ",\n\"sources\": "
      << object(names.GetOpMutableAttributeInfos(), [&](const auto& value) { return object(value, list); });
  out << ",\n\"mutable\": " << object(names.GetOpMutableAttributes(), [&](const auto& value) {
    return strings(std::set<std::string>(value.begin(), value.end()));
  });
  out << "}\n";
}

#include "generator/spec/parse.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

void parse_entry(const YamlNode& node, SpecSet& specs, Diagnostics& diagnostics) {
  if (node.kind != YamlNode::Kind::map)
    return wrong_type(node, "an operator or a function", diagnostics, "write 'op: name' and its other keys");
  if (node.find("function") != nullptr) return parse_function(node, specs.functions, diagnostics);
  if (node.find("requirement") != nullptr) return parse_requirement(node, specs.requirements, diagnostics);
  if (node.find("op") != nullptr || node.find("onnx") != nullptr || node.find("for_each") != nullptr) {
    std::vector<OpSpec> specs_here;
    parse_operator(node, specs_here, diagnostics);
    for (OpSpec& spec : specs_here) (spec.onnx ? specs.onnx : specs.ops).push_back(std::move(spec));
    return;
  }
  const std::string key = node.entries.empty() ? "" : node.entries.front().key;
  diagnostics.error("missing-key", node.span,
                    "expected one of the keys 'op', 'onnx', 'for_each', 'function' and 'requirement'" +
                        did_you_mean(key, {"op", "onnx", "for_each", "function", "requirement"}));
}

}  // namespace

void parse_file(const YamlNode& root, SpecSet& specs, Diagnostics& diagnostics) {
  if (root.kind != YamlNode::Kind::list) return parse_entry(root, specs, diagnostics);
  for (const YamlNode& item : root.items) parse_entry(item, specs, diagnostics);
}

}  // namespace opgen

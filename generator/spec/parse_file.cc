#include "generator/spec/parse.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

void parse_entry(const YamlNode& node, SpecSet& specs, Diagnostics& diagnostics) {
  if (node.kind != YamlNode::Kind::map)
    return wrong_type(node, "an operator or a function", diagnostics, "write 'op: name' and its other keys");
  if (node.find("function") != nullptr) return parse_function(node, specs, diagnostics);
  if (node.find("op") != nullptr || node.find("for_each") != nullptr) {
    std::vector<OpSpec> specs_here;
    parse_operator(node, specs_here, diagnostics);
    for (OpSpec& spec : specs_here) (spec.onnx ? specs.onnx : specs.ops).push_back(std::move(spec));
    return;
  }
  const std::string key = node.entries.empty() ? "" : node.entries.front().key;
  const std::string replacement = keys::replacement(key);
  const std::string guess = replacement.empty() ? did_you_mean(key, {"op", "for_each", "function"}) : "";
  diagnostics.error("missing-key", node.span, "expected one of the keys 'op', 'for_each' and 'function'" + guess,
                    replacement.empty() ? "" : "write " + replacement + " instead of '" + key + "'");
}

}  // namespace

void parse_file(const YamlNode& root, SpecSet& specs, Diagnostics& diagnostics) {
  if (root.kind != YamlNode::Kind::list) return parse_entry(root, specs, diagnostics);
  for (const YamlNode& item : root.items) parse_entry(item, specs, diagnostics);
}

}  // namespace opgen

#include "generator/spec/parse.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

void parse_entry(const Located& node, SpecSet& specs, Diagnostics& diagnostics) {
  if (node.kind != Located::Kind::map)
    return wrong_type(node, "an operator or a function", diagnostics, "write 'op: name' and its other keys");
  if (node.find("function") != nullptr) return parse_function(node, specs.functions, diagnostics);
  if (node.find("op") != nullptr || node.find("for_each") != nullptr)
    return parse_operator(node, specs.ops, diagnostics);
  const std::string key = node.entries.empty() ? "" : node.entries.front().key;
  diagnostics.error(
      "missing-key", node.span,
      "expected one of the keys 'op', 'for_each' and 'function'" + did_you_mean(key, {"op", "for_each", "function"}));
}

}  // namespace

void parse_file(const Located& root, SpecSet& specs, Diagnostics& diagnostics) {
  if (root.kind != Located::Kind::list) return parse_entry(root, specs, diagnostics);
  for (const Located& item : root.items) parse_entry(item, specs, diagnostics);
}

}  // namespace opgen

#include "generator/spec/parse.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

/// Its head and doc.
template <class Declaration>
Declaration read_declaration(const YamlNode& node, const Mapping& mapping, const char* form, Diagnostics& diagnostics) {
  Declaration declared;
  if (const YamlNode* head = mapping.find("function")) declared.head = read_text(*head, form, diagnostics);
  declared.span = declared.head.text.empty() ? node.span : declared.head.span;
  declared.file = node.span.file ? node.span.file->path : "";
  if (const YamlNode* doc = mapping.find("doc")) {
    declared.doc = read_line(*doc, "a sentence", diagnostics);
    check_doc(declared.doc, declared.doc, diagnostics);
  }
  return declared;
}

bool has_results(const YamlNode& node) {
  const YamlNode* const head = &node.find("function")->value;
  return head->text.empty() || head->text.find("->") != std::string::npos;
}

void parse_requirement(const YamlNode& node, const Mapping& mapping, std::vector<Requirement>& requirements,
                       Diagnostics& diagnostics) {
  const size_t errors = diagnostics.error_count();
  auto requirement = read_declaration<Requirement>(node, mapping, "'name(X: tensor, n: int)'", diagnostics);
  const YamlNode* const require = mapping.find("require");
  std::vector<Require> list;
  if (require != nullptr) list = parse_requires(*require, diagnostics);
  for (const char* key : {"replaces", "let", "is", "nodes", "variants"})
    if (const YamlNode::Entry* entry = mapping.entry(key))
      diagnostics.error("conflicting-keys", entry->key_span,
                        "a function without results has the key 'require', not '" + std::string(key) + "'",
                        "write its results behind '->'");
  const bool whole = list.size() == 1 && !list[0].message.text.empty();
  if (!whole && diagnostics.error_count() == errors)
    diagnostics.error("missing-key", requirement.span, "a function without results needs one requirement",
                      "write '- that: condition' and 'else: message' under 'require', or its results behind '->'");
  // One that cannot be read is not looked at: only its head may be used.
  if (diagnostics.error_count() == errors) requirement.body = std::move(list[0]);
  requirements.push_back(std::move(requirement));
}

}  // namespace

void parse_function(const YamlNode& node, SpecSet& specs, Diagnostics& diagnostics) {
  const size_t errors = diagnostics.error_count();
  const Mapping mapping(node, keys::function, diagnostics);
  if (!has_results(node)) return parse_requirement(node, mapping, specs.requirements, diagnostics);
  auto function = read_declaration<Function>(node, mapping, "'name(X: tensor, n: int) -> Y: tensor'", diagnostics);
  if (const YamlNode* op = mapping.find("replaces")) function.replaces = read_text(*op, "'Less'", diagnostics);
  if (const YamlNode* let = mapping.find("let")) function.let = read_let(*let, diagnostics);
  if (const YamlNode* require = mapping.find("require")) function.require = parse_requires(*require, diagnostics);

  const YamlNode::Entry* const is = mapping.entry("is");
  const YamlNode::Entry* const nodes = mapping.entry("nodes");
  const YamlNode::Entry* const variants = mapping.entry("variants");
  if (is != nullptr) function.is = read_expression(is->value, diagnostics);
  function.variants = parse_variants(variants, nodes, diagnostics);
  const int bodies = (is != nullptr ? 1 : 0) + (nodes != nullptr ? 1 : 0) + (variants != nullptr ? 1 : 0);
  if (bodies != 1)
    diagnostics.error(bodies == 0 ? "missing-key" : "conflicting-keys", function.span,
                      "a function needs one of the keys 'is', 'nodes' and 'variants'" +
                          std::string(bodies == 0 ? "" : " but has several"));
  function.broken = diagnostics.error_count() > errors;
  specs.functions.push_back(std::move(function));
}

}  // namespace opgen

#include "generator/spec/parse.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

/// The key that declares it, of such a form, and its doc: what functions and requirements both have.
template <class Declaration>
Declaration read_declaration(const YamlNode& node, const Mapping& mapping, const char* key, const char* form,
                             Diagnostics& diagnostics) {
  Declaration declared;
  if (const YamlNode* head = mapping.find(key)) declared.head = read_text(*head, form, diagnostics);
  declared.span = declared.head.text.empty() ? node.span : declared.head.span;
  declared.file = node.span.file ? node.span.file->path : "";
  if (const YamlNode* doc = mapping.find("doc")) {
    declared.doc = read_line(*doc, "a sentence", diagnostics);
    check_doc(declared.doc, declared.doc, diagnostics);
  }
  return declared;
}

}  // namespace

void parse_requirement(const YamlNode& node, std::vector<Requirement>& requirements, Diagnostics& diagnostics) {
  const size_t errors = diagnostics.error_count();
  const Mapping mapping(node, keys::requirement, diagnostics);
  auto requirement =
      read_declaration<Requirement>(node, mapping, "requirement", "'name(X: tensor, n: int)'", diagnostics);
  requirement.body = parse_require(mapping, "that", diagnostics);
  // One that cannot be read is not looked at: only its head may be used.
  if (diagnostics.error_count() > errors) requirement.body = {};
  requirements.push_back(std::move(requirement));
}

void parse_function(const YamlNode& node, std::vector<Function>& functions, Diagnostics& diagnostics) {
  const size_t errors = diagnostics.error_count();
  const Mapping mapping(node, keys::function, diagnostics);
  auto function =
      read_declaration<Function>(node, mapping, "function", "'name(X: tensor, n: int) -> Y: tensor'", diagnostics);
  if (const YamlNode* let = mapping.find("let")) function.let = read_let(*let, diagnostics);
  if (const YamlNode* require = mapping.find("require")) function.require = parse_requires(*require, diagnostics);

  const YamlNode::Entry* const is = mapping.entry("is");
  const YamlNode::Entry* const nodes = mapping.entry("nodes");
  const YamlNode::Entry* const variants = mapping.entry("variants");
  if (is != nullptr) function.is = read_expression(is->value, diagnostics);
  if (variants != nullptr) function.variants = parse_variants(variants->value, diagnostics);
  if (nodes != nullptr) {
    Variant variant;
    variant.span = nodes->key_span;
    variant.nodes = parse_statements(nodes->value, diagnostics);
    function.variants.push_back(std::move(variant));
  }
  const int bodies = (is != nullptr ? 1 : 0) + (nodes != nullptr ? 1 : 0) + (variants != nullptr ? 1 : 0);
  if (bodies != 1)
    diagnostics.error(bodies == 0 ? "missing-key" : "conflicting-keys", function.span,
                      "a function needs one of the keys 'is', 'nodes' and 'variants'" +
                          std::string(bodies == 0 ? "" : " but has several"));
  function.broken = diagnostics.error_count() > errors;
  functions.push_back(std::move(function));
}

}  // namespace opgen

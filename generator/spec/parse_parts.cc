// The parts that operators, functions and variants share.
#include <cctype>

#include "generator/spec/parse.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

Variant parse_variant(const YamlNode& node, Diagnostics& diagnostics) {
  const Mapping mapping(node, keys::variant, diagnostics);
  Variant variant;
  variant.span = node.span;
  if (const YamlNode* doc = mapping.find("doc")) {
    variant.doc = read_line(*doc, "a sentence", diagnostics);
    check_doc(variant.doc, variant.doc, diagnostics);
  }
  if (const YamlNode* opset = mapping.find("opset"))
    variant.opset = read_text(*opset, "a range of opsets", diagnostics);
  if (const YamlNode* when = mapping.find("when")) variant.when = read_expression(*when, diagnostics);
  if (const YamlNode* let = mapping.find("let")) variant.let = read_let(*let, diagnostics);
  if (const YamlNode* require = mapping.find("require")) variant.require = parse_requires(*require, diagnostics);
  if (const YamlNode* nodes = mapping.find("nodes")) variant.nodes = parse_statements(*nodes, diagnostics);
  return variant;
}

}  // namespace

std::vector<Declared> parse_declared(const YamlNode& node, const std::string& example, Diagnostics& diagnostics) {
  std::vector<Declared> list;
  if (node.kind != YamlNode::Kind::map) {
    wrong_type(node, "names and their types", diagnostics, "write " + example);
    return list;
  }
  for (const YamlNode::Entry& entry : node.entries) {
    if (!is_name(entry.key)) diagnostics.error("bad-name", entry.key_span, "'" + entry.key + "' is not a name");
    Text type = read_text(entry.value, "a type", diagnostics);
    if (!type.text.empty()) list.push_back({key_text(entry), std::move(type)});
  }
  return list;
}

std::vector<Variant> parse_variants(const YamlNode::Entry* variants, const YamlNode::Entry* nodes,
                                    Diagnostics& diagnostics) {
  std::vector<Variant> list;
  if (variants != nullptr && variants->value.kind != YamlNode::Kind::list) {
    wrong_type(variants->value, "a list of variants", diagnostics);
  } else if (variants != nullptr) {
    if (variants->value.items.empty()) diagnostics.error("empty-list", variants->value.span, "the list is empty");
    for (const YamlNode& item : variants->value.items) list.push_back(parse_variant(item, diagnostics));
  }
  if (nodes != nullptr) {
    Variant variant;
    variant.span = nodes->key_span;
    variant.nodes = parse_statements(nodes->value, diagnostics);
    list.push_back(std::move(variant));
  }
  return list;
}

namespace {

Require parse_require(const Mapping& mapping, Diagnostics& diagnostics) {
  Require require;
  if (const YamlNode* that = mapping.find("that")) require.that = read_expression(*that, diagnostics);
  if (const YamlNode* message = mapping.find("else")) require.message = read_line(*message, "a sentence", diagnostics);
  if (const YamlNode* code = mapping.find("code")) require.code = read_code(*code, diagnostics);
  return require;
}

}  // namespace

std::vector<Require> parse_requires(const YamlNode& node, Diagnostics& diagnostics) {
  std::vector<Require> list;
  if (node.kind != YamlNode::Kind::list) {
    wrong_type(node, "a list of requirements", diagnostics, "write '- that: condition' and 'else: message' below it");
    return list;
  }
  if (node.items.empty()) diagnostics.error("empty-list", node.span, "the list is empty", "remove the key");
  for (const YamlNode& item : node.items) {
    if (item.kind == YamlNode::Kind::scalar) {
      if (node.flow && is_cut(item, "requirement", diagnostics)) break;
      list.push_back({read_expression(item, diagnostics), {}, {}});
      continue;
    }
    const Mapping mapping(item, keys::require, diagnostics);
    if (mapping) list.push_back(parse_require(mapping, diagnostics));
  }
  return list;
}

void check_doc(const Text& doc, const Text& written, Diagnostics& diagnostics) {
  if (doc.text.empty()) return;
  // "x * clip(x + 3, 0, 6) / 6" is a formula.
  const bool word = doc.text.size() > 1 && std::isalpha(static_cast<unsigned char>(doc.text[1])) != 0;
  if (word && std::islower(static_cast<unsigned char>(doc.text.front())) != 0)
    diagnostics.error("doc-style", span_at(written, 0, 1), "the sentence begins with a lower-case letter");
  if (doc.text.back() == '.')
    diagnostics.error("doc-style", span_at(written, written.text.size() - 1, 1), "the sentence ends with a full stop",
                      "remove the full stop: the sentence becomes a table cell");
}

}  // namespace opgen

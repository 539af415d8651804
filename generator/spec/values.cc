#include "generator/spec/values.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "generator/diagnostics/source.h"
#include "generator/diagnostics/text.h"

namespace opgen {
namespace {

bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// `x = f("a #b")`: YAML takes the rest for a comment, and the quote is never closed.
void check_comment(const YamlNode& node, Diagnostics& diagnostics) {
  if (node.quoted || node.kind != YamlNode::Kind::scalar || !node.text_span.file) return;
  const bool open = std::count(node.text.begin(), node.text.end(), '"') % 2 == 1 ||
                    std::count(node.text.begin(), node.text.end(), '\'') % 2 == 1;
  if (!open || node.text.find('\n') != std::string::npos) return;
  const std::string& source = node.text_span.file->text;
  const size_t end = offset_of(node.text_span) + static_cast<size_t>(node.text_span.length);
  const size_t next = source.find_first_not_of(" \t", end);
  if (next == std::string::npos || source[next] != '#') return;
  diagnostics.error("cut-by-comment", span_of(node.text_span.file, next, 1), "the comment begins inside of a string",
                    "quote the whole text: YAML ends it at ' #'");
}

}  // namespace

const char* kind_of(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::scalar: return "a text";
    case YamlNode::Kind::list: return "a list";
    case YamlNode::Kind::map: return "a mapping";
  }
  return "";
}

void wrong_type(const YamlNode& node, const std::string& expected, Diagnostics& diagnostics, const std::string& help) {
  diagnostics.error("wrong-type", node.span, "expected " + expected + " but found " + kind_of(node), help);
}

Mapping::Mapping(const YamlNode& node, const KeySet& keys, Diagnostics& diagnostics) {
  if (node.kind != YamlNode::Kind::map) {
    wrong_type(node, std::string("the keys of ") + keys.what, diagnostics);
    return;
  }
  const std::vector<std::string> known = keys.names();
  for (const YamlNode::Entry& entry : node.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::string replacement = keys::replacement(entry.key);
    const std::string guess = replacement.empty() ? did_you_mean(entry.key, known) : "";
    const std::string help = !replacement.empty() ? "write " + replacement
                             : guess.empty()      ? std::string(keys.what) + " has the keys " + joined(known)
                                                  : "";
    diagnostics.error("unknown-key", entry.key_span, "unknown key '" + entry.key + "'" + guess, help);
    const std::string meant = replacement.empty() ? closest(entry.key, known) : "";
    if (meant.empty() || node.find(meant) != nullptr || !meant_.emplace(meant, &entry).second) continue;
    diagnostics.was_mended();
  }
  for (const Key& key : keys.keys)
    if (key.required && node.find(key.name) == nullptr && meant_.count(key.name) == 0)
      diagnostics.error(std::strcmp(key.name, "doc") == 0 ? "missing-doc" : "missing-key", node.span,
                        std::string(keys.what) + " needs the key '" + key.name + "'");
  node_ = &node;
}

const YamlNode::Entry* Mapping::entry(const std::string& key) const {
  const auto meant = meant_.find(key);
  if (meant != meant_.end()) return meant->second;
  return node_ != nullptr ? node_->find(key) : nullptr;
}

const YamlNode* Mapping::find(const std::string& key) const {
  const YamlNode::Entry* found = entry(key);
  return found != nullptr ? &found->value : nullptr;
}

bool is_operator_name(const std::string& text) {
  size_t begin = 0;
  for (size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', begin)) {
    if (!is_name(text.substr(begin, dot - begin))) return false;
    begin = dot + 1;
  }
  return is_name(text.substr(begin));
}

bool is_name(const std::string& text) {
  return !text.empty() && (letter(text[0]) || text[0] == '_') &&
         std::all_of(text.begin(), text.end(), [](char c) { return letter(c) || digit(c) || c == '_'; });
}

Text read_text(const YamlNode& node, const std::string& expected, Diagnostics& diagnostics) {
  if (node.kind != YamlNode::Kind::scalar) {
    wrong_type(node, expected, diagnostics);
    return {};
  }
  Text text{node.text, node.text_span};
  // A block scalar ends with its line.
  while (!text.text.empty() && text.text.back() == '\n') text.text.pop_back();
  if (text.text.find_first_not_of(" \n") == std::string::npos) {
    diagnostics.error("empty-value", node.span, "expected " + expected + " but found an empty text");
    return {};
  }
  return text;
}

Text read_line(const YamlNode& node, const std::string& expected, Diagnostics& diagnostics) {
  Text text = read_text(node, expected, diagnostics);
  if (text.text.find('\n') == std::string::npos) return text;
  diagnostics.error("several-lines", node.span, "expected " + expected + " in one line",
                    "write '>' instead of '|' to join the lines");
  return {};
}

bool is_cut(const YamlNode& item, const std::string& what, Diagnostics& diagnostics) {
  const std::string& text = item.text;
  if (item.quoted || std::count(text.begin(), text.end(), '(') == std::count(text.begin(), text.end(), ')'))
    return false;
  diagnostics.error("cut-statement", item.span, "YAML ends this " + what + " at a ','",
                    "quote the " + what + ", or begin each one on a separate line with '- '");
  return true;
}

Text read_expression(const YamlNode& node, Diagnostics& diagnostics) {
  if (node.kind == YamlNode::Kind::list && node.flow) return {node.text, node.text_span};
  if (node.kind == YamlNode::Kind::map) {
    wrong_type(node, "an expression", diagnostics, "quote the expression: YAML takes ': ' for a mapping");
    return {};
  }
  check_comment(node, diagnostics);
  return read_text(node, "an expression", diagnostics);
}

Text read_name(const YamlNode& node, const std::string& expected, Diagnostics& diagnostics) {
  Text text = read_text(node, expected, diagnostics);
  if (text.text.empty() || is_operator_name(text.text)) return text;
  // A column of a table, whose rows have names.
  if (text.text.rfind("${", 0) == 0 && text.text.back() == '}' && is_name(text.text.substr(2, text.text.size() - 3)))
    return text;
  diagnostics.error("bad-name", text.span, "'" + text.text + "' is not a name",
                    "use letters, digits and '_', and begin with a letter or '_'");
  return {};
}

std::vector<Text> read_names(const YamlNode& node, Diagnostics& diagnostics, bool empty) {
  if (node.kind != YamlNode::Kind::list) {
    const std::string example = is_name(node.text) ? "write [" + node.text + "]" : "";
    wrong_type(node, "a list of names", diagnostics, example);
    return {};
  }
  if (node.items.empty() && !empty) diagnostics.error("empty-list", node.span, "the list is empty", "remove the key");
  std::vector<Text> names;
  for (const YamlNode& item : node.items) {
    Text name = read_name(item, "a name", diagnostics);
    if (name.text.empty()) continue;
    const auto first =
        std::find_if(names.begin(), names.end(), [&](const Text& other) { return other.text == name.text; });
    if (first != names.end()) {
      diagnostics.error("duplicate-name", name.span, "'" + name.text + "' is listed twice")
          .notes.emplace_back(first->span, "first here");
      continue;
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<Binding> read_let(const YamlNode& node, Diagnostics& diagnostics) {
  if (node.kind != YamlNode::Kind::map) {
    wrong_type(node, "names and their expressions", diagnostics, "write 'name: expression' below 'let:'");
    return {};
  }
  std::vector<Binding> list;
  for (const YamlNode::Entry& entry : node.entries) {
    const Text name = key_text(entry);
    if (!is_name(name.text)) {
      diagnostics.error("bad-name", name.span, "'" + name.text + "' is not a name",
                        "use letters, digits and '_', and begin with a letter or '_'");
    }
    Text value = read_expression(entry.value, diagnostics);
    if (!value.text.empty()) list.push_back({name, std::move(value)});
  }
  return list;
}

Text key_text(const YamlNode::Entry& entry) { return {entry.key, entry.key_span}; }

Text read_code(const YamlNode& node, Diagnostics& diagnostics) {
  Text text = read_text(node, "an error code", diagnostics);
  const bool good = std::all_of(text.text.begin(), text.text.end(),
                                [](char c) { return (c >= 'A' && c <= 'Z') || digit(c) || c == '_'; });
  if (good) return text;
  diagnostics.error("bad-code", text.span, "'" + text.text + "' is not an error code",
                    "write upper-case words joined by '_', such as E_UNKNOWN_RANK");
  return {};
}

}  // namespace opgen

#include <algorithm>
#include <array>
#include <string_view>

#include "generator/diagnostics/source.h"
#include "generator/spec/parse.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

struct Form {
  const KeySet& keys;
  Statement::Kind kind;
};

const std::array kForms = {
    // A loop has the key `for`, too.
    Form{keys::loop_statement, Statement::Kind::loop}, Form{keys::if_statement, Statement::Kind::if_},
    Form{keys::for_statement, Statement::Kind::for_},  Form{keys::require_statement, Statement::Kind::require},
    Form{keys::lod_statement, Statement::Kind::lod},
};

const char* head_key(const Form& form) { return form.keys.keys.front().name; }

const Form* form_of(const YamlNode& node) {
  for (const Form& form : kForms)
    if (node.find(head_key(form)) != nullptr) return &form;
  return nullptr;
}

/// Neither form nor assignment: most often an assignment that YAML took for something else.
void unknown_statement(const YamlNode& node, Diagnostics& diagnostics) {
  if (node.entries.empty()) return wrong_type(node, "a statement", diagnostics);
  const YamlNode::Entry& first = node.entries.front();
  std::vector<std::string> known;
  for (const Form& form : kForms) known.emplace_back(head_key(form));
  // `- if has(X):` arrives as a mapping with the key `if has(X)`.
  const std::string word = first.key.substr(0, first.key.find(' '));
  const char* written = word == "for"     ? "'for: name in list' and the statements under 'nodes:'"
                        : word == "if"    ? "'if: condition' and the statements under 'then:' and 'else:'"
                        : word == "while" ? "'loop: [names]', 'while: condition' and the statements under 'nodes:'"
                                          : nullptr;
  if (written != nullptr && word != first.key) {
    diagnostics.error("unknown-statement", first.key_span, "'" + word + "' must be a key",
                      std::string("write ") + written);
    return;
  }
  if (const std::string now = keys::replacement(word); !now.empty()) {
    diagnostics.error("unknown-statement", first.key_span, "unknown statement '" + word + "'", "write " + now);
    return;
  }
  // `- Out = Foo(X, mode="a: b")` arrives as a mapping with the key `Out = Foo(X, mode="a`.
  const bool cut = first.key.find_first_of("=(") != std::string::npos;
  diagnostics.error("unknown-statement", first.key_span,
                    cut ? "YAML reads this statement as a mapping"
                        : "unknown statement '" + first.key + "'" + did_you_mean(first.key, known),
                    cut ? "quote the statement, because it contains ': '"
                        : "write 'names = expression', or one of the keys if, for, loop, require, lod");
}

Statement parse_assignment_text(const YamlNode& node, bool in_brackets, Diagnostics& diagnostics) {
  Statement statement;
  if (in_brackets && is_cut(node, "statement", diagnostics)) return statement;
  statement.text = read_expression(node, diagnostics);
  return statement;
}

Statement parse_form(const YamlNode& node, const Form& form, Diagnostics& diagnostics) {
  const Mapping mapping(node, form.keys, diagnostics);
  const auto text = [&](const char* key, Text& into) {
    if (const YamlNode* value = mapping.find(key)) into = read_expression(*value, diagnostics);
  };
  const auto names = [&](const char* key, std::vector<Text>& into) {
    if (const YamlNode* value = mapping.find(key)) into = read_names(*value, diagnostics);
  };
  const auto body = [&](const char* key, Statements& into, Span& place) {
    const YamlNode::Entry* entry = mapping.entry(key);
    if (entry == nullptr) return;
    into = parse_statements(entry->value, diagnostics);
    place = entry->key_span;
  };

  Statement statement;
  statement.kind = form.kind;
  switch (form.kind) {
    case Statement::Kind::assign:
    case Statement::Kind::branch: break;
    case Statement::Kind::if_:
      text(head_key(form), statement.text);
      body("then", statement.body, statement.body_key);
      body("else", statement.otherwise, statement.otherwise_key);
      break;
    case Statement::Kind::for_:
      text("for", statement.text);
      body("nodes", statement.body, statement.body_key);
      break;
    case Statement::Kind::require:
      if (const YamlNode* list = mapping.find("require")) statement.require_list = parse_requires(*list, diagnostics);
      break;
    case Statement::Kind::loop:
      statement.names = read_names(*mapping.find("loop"), diagnostics, true);
      text("for", statement.trips);
      text("while", statement.text);
      names("outputs", statement.scan_outputs);
      body("nodes", statement.body, statement.body_key);
      if (mapping.find("for") == nullptr && mapping.find("while") == nullptr)
        diagnostics.error("missing-key", mapping.entry("loop")->key_span,
                          "a 'loop' statement needs the key 'for' or 'while'");
      break;
    case Statement::Kind::lod: break;
  }
  return statement;
}

}  // namespace

Statements parse_lod(const YamlNode& outputs, Diagnostics& diagnostics) {
  Statements statements;
  for (Binding& binding : read_let(outputs, diagnostics)) {
    Statement& statement = statements.emplace_back();
    statement.kind = Statement::Kind::lod;
    statement.names = {std::move(binding.name)};
    statement.text = std::move(binding.value);
  }
  return statements;
}

Statements parse_statements(const YamlNode& node, Diagnostics& diagnostics) {
  Statements statements;
  if (node.kind != YamlNode::Kind::list) {
    wrong_type(node, "a list of statements", diagnostics, "begin each statement on a separate line with '- '");
    return statements;
  }
  if (node.items.empty()) diagnostics.error("empty-list", node.span, "the list is empty");
  for (const YamlNode& item : node.items) {
    if (item.kind == YamlNode::Kind::map) {
      const Form* form = form_of(item);
      if (form == nullptr) {
        unknown_statement(item, diagnostics);
      } else if (form->kind == Statement::Kind::lod) {
        const Mapping mapping(item, form->keys, diagnostics);
        for (Statement& lod : parse_lod(*mapping.find("lod"), diagnostics)) statements.push_back(std::move(lod));
      } else {
        statements.push_back(parse_form(item, *form, diagnostics));
      }
    } else if (item.kind == YamlNode::Kind::list) {
      wrong_type(item, "a statement", diagnostics);
    } else {
      Statement statement = parse_assignment_text(item, node.flow, diagnostics);
      // The rest of a statement that was cut is not worth a second message.
      if (statement.text.text.empty()) break;
      statements.push_back(std::move(statement));
    }
  }
  return statements;
}

}  // namespace opgen

#include <algorithm>
#include <array>
#include <string_view>

#include "generator/base/source.h"
#include "generator/spec/parse.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

struct Form {
  const KeySet& keys;
  Statement::Kind kind;
};

const std::array kForms = {
    Form{keys::if_statement, Statement::Kind::if_},    Form{keys::elif_statement, Statement::Kind::if_},
    Form{keys::for_statement, Statement::Kind::for_},  Form{keys::require_statement, Statement::Kind::require},
    Form{keys::loop_statement, Statement::Kind::loop}, Form{keys::branch_statement, Statement::Kind::branch},
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
  const char* written = word == "elif"    ? "'elif: condition' and the statements under 'then:'"
                        : word == "for"   ? "'for: name in list' and the statements under 'do:'"
                        : word == "if"    ? "'if: condition' and the statements under 'then:' and 'else:'"
                        : word == "while" ? "'loop: [names]', 'while: condition' and the statements under 'do:'"
                                          : nullptr;
  if (written != nullptr && word != first.key) {
    diagnostics.error("unknown-statement", first.key_span, "'" + word + "' must be a key",
                      std::string("write ") + written);
    return;
  }
  // `- Out = Foo(X, mode="a: b")` arrives as a mapping with the key `Out = Foo(X, mode="a`.
  const bool cut = first.key.find_first_of("=(") != std::string::npos;
  diagnostics.error("unknown-statement", first.key_span,
                    cut ? "YAML reads this statement as a mapping"
                        : "unknown statement '" + first.key + "'" + did_you_mean(first.key, known),
                    cut ? "quote the statement, because it contains ': '"
                        : "write 'names = expression', or one of the keys if, elif, for, require, loop, branch, lod");
}

Statement parse_assignment_text(const YamlNode& node, bool in_brackets, Diagnostics& diagnostics) {
  Statement statement;
  if (in_brackets && is_cut(node, "statement", diagnostics)) return statement;
  statement.text = read_expression(node, diagnostics);
  return statement;
}

/// Without a message it is one of the library, which has its own.
void require(const Mapping& mapping, Statement& statement, Diagnostics& diagnostics) {
  Require parts = parse_require(mapping, "require", diagnostics);
  statement.text = std::move(parts.that);
  statement.message = std::move(parts.message);
  statement.hint = std::move(parts.hint);
  statement.code = std::move(parts.code);
  for (const char* key : {"hint", "code"})
    if (mapping.find(key) != nullptr && mapping.find("else") == nullptr)
      diagnostics.error("missing-key", mapping.entry(key)->key_span,
                        "'" + std::string(key) + "' needs the message 'else'");
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
    case Statement::Kind::assign: break;
    case Statement::Kind::if_:
      text(head_key(form), statement.text);
      body("then", statement.body, statement.body_key);
      body("else", statement.otherwise, statement.otherwise_key);
      break;
    case Statement::Kind::for_:
      text("for", statement.text);
      body("do", statement.body, statement.body_key);
      break;
    case Statement::Kind::require: require(mapping, statement, diagnostics); break;
    case Statement::Kind::loop:
      // A loop may carry nothing and only collect.
      if (const YamlNode* carried = mapping.find("loop");
          carried->kind != YamlNode::Kind::list || !carried->items.empty())
        // no state: each iteration only adds to what is collected
        statement.names = read_names(*mapping.find("loop"), diagnostics, true);
      text("times", statement.trips);
      text("while", statement.text);
      if (const YamlNode* iteration = mapping.find("iteration"))
        statement.iteration = read_name(*iteration, "a name", diagnostics);
      names("scan_outputs", statement.scan_outputs);
      body("do", statement.body, statement.body_key);
      if (mapping.find("times") == nullptr && mapping.find("while") == nullptr)
        diagnostics.error("missing-key", mapping.entry("loop")->key_span,
                          "a 'loop' statement needs the key 'times' or 'while'");
      break;
    case Statement::Kind::branch:
      text("branch", statement.text);
      names("outputs", statement.names);
      body("then", statement.body, statement.body_key);
      body("else", statement.otherwise, statement.otherwise_key);
      break;
    case Statement::Kind::lod:
      if (const YamlNode* output = mapping.find("lod"))
        statement.names = {read_name(*output, "an output", diagnostics)};
      text("is", statement.text);
      break;
  }
  return statement;
}

/// `- elif: condition` is the `else` of the `if` or `elif` in front of it.
void join_elif(Statement statement, const YamlNode& item, Statements& statements, Diagnostics& diagnostics) {
  Statement* last = statements.empty() ? nullptr : &statements.back();
  while (last != nullptr && last->joined) last = &last->otherwise.front();
  if (last == nullptr || last->kind != Statement::Kind::if_ || !last->otherwise.empty()) {
    diagnostics.error("unknown-statement", item.find("elif")->key_span,
                      "'elif' has no 'if' in front of it, or follows 'else'");
    return;
  }
  last->joined = true;
  last->otherwise_key = item.find("elif")->key_span;
  last->otherwise.push_back(std::move(statement));
}

}  // namespace

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
      } else if (&form->keys == &keys::elif_statement) {
        join_elif(parse_form(item, *form, diagnostics), item, statements, diagnostics);
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

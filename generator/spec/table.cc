#include "generator/spec/table.h"

#include <algorithm>
#include <functional>

#include "generator/spec/values.h"

namespace opgen {
namespace {

Text column_of(const YamlNode& node, Diagnostics& diagnostics) {
  Text text = read_expression(node, diagnostics);
  if (!node.quoted || node.kind != YamlNode::Kind::scalar) return text;
  std::string literal = "\"";
  for (const char c : text.text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  text.text = literal + "\"";
  return text;
}

void add_column(TableRow& row, const std::string& name, const YamlNode& node, Diagnostics& diagnostics) {
  row.columns[name] = column_of(node, diagnostics);
  row.sentences[name] = node.text;
}

/// Every row must have the columns of the first.
void compare_columns(const YamlNode::Entry& first, const YamlNode::Entry& entry, Diagnostics& diagnostics) {
  if (&first == &entry) return;
  for (const YamlNode::Entry& column : first.value.entries) {
    if (entry.value.find(column.key) != nullptr) continue;
    diagnostics
        .error("table-columns", entry.key_span, "the row '" + entry.key + "' has no column '" + column.key + "'",
               "every row has the same columns")
        .notes.emplace_back(column.key_span, "the first row has it");
  }
  std::vector<std::string> known;
  for (const YamlNode::Entry& column : first.value.entries) known.push_back(column.key);
  for (const YamlNode::Entry& column : entry.value.entries) {
    if (first.value.find(column.key) != nullptr) continue;
    diagnostics.error("table-columns", column.key_span,
                      "the first row has no column '" + column.key + "'" + did_you_mean(column.key, known),
                      "every row has the same columns");
  }
}

/// Applies `visit` to every sentence of a spec.
void each_sentence(OpSpec& spec, const std::function<void(Text&)>& visit) {
  const std::function<void(Statements&)> statements = [&](Statements& list) {
    for (Statement& statement : list) {
      visit(statement.message);
      visit(statement.hint);
      statements(statement.body);
      statements(statement.otherwise);
    }
  };
  const auto requires_of = [&](std::vector<Require>& list) {
    for (Require& require : list) {
      visit(require.message);
      visit(require.hint);
    }
  };
  visit(spec.doc);
  visit(spec.why);
  for (auto* names : {&spec.inputs, &spec.outputs, &spec.attrs})
    for (Text& name : *names) visit(name);
  for (Text& limit : spec.limits) visit(limit);
  for (Binding& ignored : spec.ignore) visit(ignored.value);
  requires_of(spec.require);
  for (Variant& variant : spec.variants) {
    visit(variant.doc);
    requires_of(variant.require);
    statements(variant.nodes);
  }
}

/// Replaces each ${name}; unknown ones are diagnosed where they stand.
void substitute(Text& text, const std::map<std::string, std::string>& columns, Diagnostics& diagnostics) {
  size_t at = text.text.find("${");
  if (at == std::string::npos) return;
  const std::string original = text.text;
  const Text place{original, text.span};
  std::string result;
  size_t done = 0;
  for (; at != std::string::npos; at = original.find("${", done)) {
    const size_t close = original.find('}', at);
    const std::string name = original.substr(at + 2, close == std::string::npos ? close : close - at - 2);
    const auto column = columns.find(name);
    if (column == columns.end() || close == std::string::npos) {
      std::vector<std::string> known;
      for (const auto& [key, value] : columns) known.push_back(key);
      diagnostics.error("unknown-column", span_at(place, at, close == std::string::npos ? 2 : close + 1 - at),
                        "no column '" + name + "'" + did_you_mean(name, known),
                        known.empty() ? "only specs with for_each have columns" : "");
      return;
    }
    result += original.substr(done, at - done) + column->second;
    done = close + 1;
  }
  text.text = result + original.substr(done);
}

}  // namespace

std::vector<TableRow> parse_table(const YamlNode& node, Diagnostics& diagnostics) {
  std::vector<TableRow> rows;
  if (node.kind != YamlNode::Kind::map) {
    wrong_type(node, "operators with their columns", diagnostics, "write {abs: Abs, ceil: Ceil}");
    return rows;
  }
  for (const YamlNode::Entry& entry : node.entries) {
    TableRow row;
    row.op = key_text(entry);
    if (!is_operator_name(entry.key)) {
      diagnostics.error("bad-name", entry.key_span, "'" + entry.key + "' is not the name of an operator");
      continue;
    }
    const bool named = entry.value.kind == YamlNode::Kind::map;
    if (named != (node.entries.front().value.kind == YamlNode::Kind::map)) {
      diagnostics
          .error("table-columns", entry.key_span, "the row '" + entry.key + "' is written unlike the first row",
                 "every row has the same columns")
          .notes.emplace_back(node.entries.front().key_span, "the first row");
      continue;
    }
    row.columns["op"] = row.op;
    row.sentences["op"] = row.op.text;
    if (!named) add_column(row, is_onnx_name(entry.key) ? "fluid" : "onnx", entry.value, diagnostics);
    for (const YamlNode::Entry& column : entry.value.entries) {
      if (!is_name(column.key) || column.key == "op") {
        diagnostics.error("bad-name", column.key_span, "'" + column.key + "' cannot name a column",
                          column.key == "op" ? "${op} is the row's operator" : "");
        continue;
      }
      add_column(row, column.key, column.value, diagnostics);
    }
    if (named) compare_columns(node.entries.front(), entry, diagnostics);
    rows.push_back(std::move(row));
  }
  if (node.entries.empty()) diagnostics.error("empty-list", node.span, "the table has no rows");
  return rows;
}

OpSpec expand(const OpSpec& spec, const TableRow& row, Diagnostics& diagnostics) {
  OpSpec copy = spec;
  copy.op = row.op;
  copy.onnx = is_onnx_name(row.op.text);
  copy.span = row.op.span;
  copy.row = row.columns;
  each_sentence(copy, [&](Text& text) { substitute(text, row.sentences, diagnostics); });
  std::erase_if(copy.examples, [&](const Example& example) {
    const YamlNode::Entry* only = example.body.find("only");
    return only != nullptr && std::none_of(only->value.items.begin(), only->value.items.end(),
                                           [&](const YamlNode& item) { return item.text == row.op.text; });
  });
  return copy;
}

void refuse_columns(const OpSpec& spec, Diagnostics& diagnostics) {
  OpSpec copy = spec;
  each_sentence(copy, [&](Text& text) { substitute(text, {}, diagnostics); });
}

}  // namespace opgen

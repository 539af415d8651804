#include "generator/spec/table.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <set>

#include "generator/diagnostics/text.h"
#include "generator/spec/recipe_texts.h"
#include "generator/spec/tensor_text.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

std::string literal_of(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "\"";
}

bool is_number(const std::string& text) {
  const size_t first = text.rfind('-', 0) == 0 ? 1 : 0;
  if (first == text.size() || std::isdigit(static_cast<unsigned char>(text[first])) == 0) return false;
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return *end == '\0' && text.find_first_of("xX") == std::string::npos;
}

/// An operator, function, slot or attribute; ONNX's operators may have a version: Softmax@11.
bool is_row_name(const std::string& text) {
  const size_t at = text.find('@');
  return is_operator_name(text.substr(0, at)) &&
         (at == std::string::npos || text.find_first_not_of("0123456789", at + 1) == std::string::npos);
}

Cell cell_of(const YamlNode& node, Diagnostics& diagnostics) {
  using Kind = Cell::Kind;
  const Text text = read_expression(node, diagnostics);
  const auto& dtypes = dtype_names();
  if (node.kind == YamlNode::Kind::list) return {text, Kind::list};
  if (node.quoted) return {{literal_of(text.text), text.span, text.as_written}, Kind::text};
  if (text.text == "true" || text.text == "false") return {text, Kind::truth};
  if (is_number(text.text)) return {text, Kind::number};
  if (std::find(dtypes.begin(), dtypes.end(), text.text) != dtypes.end()) return {text, Kind::dtype};
  if (!text.text.empty() && !is_row_name(text.text))
    diagnostics.error("row-value", text.span,
                      "expected a number, true or false, an element type, a list, a name or a text in quotes",
                      "write computations with values of the row in the recipe");
  return {text, Kind::name};
}

TableRow row_of(const Text& op) {
  return {op, {{"op", {{literal_of(op.text), op.span, false}, Cell::Kind::text}}}, {{"op", op.text}}};
}

void add_column(TableRow& row, const std::string& name, const YamlNode& node, Diagnostics& diagnostics) {
  row.columns[name] = cell_of(node, diagnostics);
  row.sentences[name] = node.text;
}

/// A column has values of one type.
void compare_types(const TableRow& first, const TableRow& row, Diagnostics& diagnostics) {
  for (const auto& [column, cell] : row.columns) {
    const auto usual = first.columns.find(column);
    if (usual == first.columns.end() || usual->second.kind == cell.kind) continue;
    diagnostics
        .error("row-type", cell.span,
               "'" + column + "' is " + kind_of(cell) + " here and " + kind_of(usual->second) + " in the first row",
               "use one type per column, and quote texts")
        .notes.emplace_back(usual->second.span, "the first row");
  }
}

/// Where one row has a number that is no integer, all are floats.
void widen_numbers(std::vector<TableRow>& rows) {
  std::set<std::string> floats;
  for (const TableRow& row : rows)
    for (const auto& [column, cell] : row.columns)
      if (cell.kind == Cell::Kind::number && cell.text.find_first_of(".eE") != std::string::npos) floats.insert(column);
  for (TableRow& row : rows)
    for (auto& [column, cell] : row.columns)
      if (floats.count(column) > 0 && cell.text.find_first_of(".eE") == std::string::npos) cell.text += ".0";
}

/// Names of the spec hide no values of its rows.
void refuse_hidden(const OpSpec& spec, Diagnostics& diagnostics) {
  const auto refuse = [&](const Text& name) {
    if (value_in(spec.row, name.text) != nullptr)
      diagnostics.error("duplicate-name", name.span, "'" + name.text + "' is a column of the table",
                        "rename the column");
  };
  for (const auto* names : {&spec.inputs, &spec.outputs, &spec.attrs})
    for (const Text& name : *names) refuse(name);
  for (const Param& param : spec.params) refuse(param.name);
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
  visit(spec.doc);
  visit(spec.why);
  for (auto* names : {&spec.inputs, &spec.outputs, &spec.attrs})
    for (Text& name : *names) visit(name);
  for (Text& limit : spec.limits) visit(limit);
  for (Binding& ignored : spec.ignore) visit(ignored.value);
  for (Variant& variant : spec.variants) visit(variant.doc);
  each_text(spec, [&](Text& text, TextKind kind) {
    if (kind == TextKind::message) visit(text);
  });
}

/// Replaces each ${name}; unknown ones are diagnosed where they stand. What is nothing else has the place of the row's.
void substitute(Text& text, const TableRow& row, Diagnostics& diagnostics) {
  size_t at = text.text.find("${");
  if (at == std::string::npos) return;
  const std::string original = text.text;
  const Text place{original, text.span};
  std::string result;
  size_t done = 0;
  for (; at != std::string::npos; at = original.find("${", done)) {
    const size_t close = original.find('}', at);
    const std::string name = original.substr(at + 2, close == std::string::npos ? close : close - at - 2);
    const auto column = row.sentences.find(name);
    if (column == row.sentences.end() || close == std::string::npos) {
      const std::vector<std::string> known = names_of(row.sentences);
      diagnostics.error("unknown-column", span_at(place, at, close == std::string::npos ? 2 : close + 1 - at),
                        "no column '" + name + "'" + did_you_mean(name, known),
                        known.empty() ? "only specs with for_each have columns" : "");
      return;
    }
    result += original.substr(done, at - done) + column->second;
    done = close + 1;
    if (at == 0 && done == original.size()) text.span = row.columns.at(name).span;
  }
  text.text = result + original.substr(done);
}

}  // namespace

const Cell* value_in(const Row& row, const std::string& column) {
  const auto found = row.find(column);
  return found != row.end() && found->second.is_value() ? &found->second : nullptr;
}

const char* kind_of(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::name: return "a name";
    case Cell::Kind::text: return "a text";
    case Cell::Kind::number: return "a number";
    case Cell::Kind::truth: return "true or false";
    case Cell::Kind::dtype: return "an element type";
    case Cell::Kind::list: return "a list";
  }
  return "";
}

std::vector<std::string> row_names(const YamlNode& table) {
  std::vector<std::string> names;
  for (const YamlNode& row : table.items) names.push_back(row.text);
  for (const YamlNode::Entry& row : table.entries) names.push_back(row.key);
  return names;
}

std::vector<TableRow> parse_table(const YamlNode& node, Diagnostics& diagnostics) {
  std::vector<TableRow> rows;
  if (node.kind == YamlNode::Kind::list) {
    for (const Text& op : read_names(node, diagnostics)) rows.push_back(row_of(op));
    return rows;
  }
  if (node.kind != YamlNode::Kind::map) {
    wrong_type(node, "operators", diagnostics, "write [silu, swish], or {abs: Abs, ceil: Ceil}");
    return rows;
  }
  for (const YamlNode::Entry& entry : node.entries) {
    TableRow row = row_of(key_text(entry));
    if (!is_operator_name(entry.key)) {
      diagnostics.error("bad-name", entry.key_span, "'" + entry.key + "' is not the name of an operator");
      continue;
    }
    const bool named = entry.value.kind == YamlNode::Kind::map;
    if (named != (node.entries.front().value.kind == YamlNode::Kind::map)) {
      diagnostics
          .error("table-columns", entry.key_span, "the row '" + entry.key + "' differs in form from the first row",
                 "every row has the same columns")
          .notes.emplace_back(node.entries.front().key_span, "the first row");
      continue;
    }
    if (!named) add_column(row, is_onnx_name(entry.key) ? "fluid" : "onnx", entry.value, diagnostics);
    for (const YamlNode::Entry& column : entry.value.entries) {
      if (!is_name(column.key) || column.key == "op") {
        diagnostics.error("bad-name", column.key_span, "'" + column.key + "' is not allowed as the name of a column",
                          column.key == "op" ? "use ${op} for the row's operator" : "");
        continue;
      }
      add_column(row, column.key, column.value, diagnostics);
    }
    if (named) compare_columns(node.entries.front(), entry, diagnostics);
    if (!rows.empty()) compare_types(rows.front(), row, diagnostics);
    rows.push_back(std::move(row));
  }
  if (node.entries.empty()) diagnostics.error("empty-list", node.span, "the table has no rows");
  widen_numbers(rows);
  return rows;
}

OpSpec expand(const OpSpec& spec, const TableRow& row, Diagnostics& diagnostics) {
  OpSpec copy = spec;
  copy.op = row.op;
  copy.onnx = is_onnx_name(row.op.text);
  copy.span = row.op.span;
  copy.row = row.columns;
  each_sentence(copy, [&](Text& text) { substitute(text, row, diagnostics); });
  refuse_hidden(copy, diagnostics);
  std::erase_if(copy.examples, [&](const Example& example) {
    const YamlNode::Entry* only = example.body.find("only");
    return only != nullptr && std::none_of(only->value.items.begin(), only->value.items.end(),
                                           [&](const YamlNode& item) { return item.text == row.op.text; });
  });
  return copy;
}

void refuse_columns(const OpSpec& spec, Diagnostics& diagnostics) {
  OpSpec copy = spec;
  each_sentence(copy, [&](Text& text) { substitute(text, TableRow(), diagnostics); });
}

}  // namespace opgen

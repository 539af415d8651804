// The rows of `for_each:` and the values of ${column}.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generator/spec/spec.h"
#include "generator/spec/yaml_node.h"

namespace opgen {

struct TableRow {
  Text op;
  Row columns;                                   ///< as in expressions: texts are string literals
  std::map<std::string, std::string> sentences;  ///< as in sentences: quoted texts without their quotes
};

/// `[abs, ceil]` has only the column `op`; `{abs: Abs}` also has `onnx`; `{abs: {onnx: Abs, kind: "x"}}` also has those
/// named.
std::vector<TableRow> parse_table(const YamlNode& node, Diagnostics& diagnostics);
/// The operators of the rows.
std::vector<std::string> row_names(const YamlNode& table);

/// The operator for one row: sentences substituted, examples of other rows left out.
OpSpec expand(const OpSpec& spec, const TableRow& row, Diagnostics& diagnostics);

/// Diagnoses ${column} in the sentences of a spec that has no table.
void refuse_columns(const OpSpec& spec, Diagnostics& diagnostics);

}  // namespace opgen

// A parsed spec file: names and texts with locations, before name resolution and typing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "generator/diagnostics/diagnostics.h"
#include "generator/spec/yaml_node.h"

namespace opgen {

/// A name, expression or sentence with its place.
struct Text {
  std::string text;
  Span span;
  bool as_written = true;  ///< false if only the whole text has a location, not its parts
};

/// A cell of a table.
struct Cell : Text {
  enum class Kind : uint8_t {
    name,  ///< of an operator, function, slot or attribute: replaces ${column}
    // Values; expressions read them by the column's name:
    text,  ///< with its quotes, as in an expression
    number,
    truth,
    dtype,
    list,
  };
  Kind kind = Kind::name;
  bool is_value() const { return kind != Kind::name; }
};
using Row = std::map<std::string, Cell>;
/// The cell of a column with values; null if missing.
const Cell* value_in(const Row& row, const std::string& column);
/// "a number".
const char* kind_of(const Cell& cell);

struct Require {
  Text that;  ///< a condition; without a message, a call of a library requirement
  Text message;
  Text code;
};

struct Statement;
using Statements = std::vector<Statement>;

/// A statement: `- Out = Relu(X)`, or a structured one.
struct Statement {
  enum class Kind : uint8_t {
    assign,   ///< text: "targets = expression"
    if_,      ///< compile-time choice: text is the condition; body, otherwise
    for_,     ///< unrolled loop: text is "name in list" or "a, b in list"; body
    require,  ///< requirements
    loop,     ///< ONNX Loop: names are the loop-carried tensors, trips is "i in n", text is `while`; body
    branch,   ///< ONNX If: an if_ whose condition is a tensor
    lod,      ///< names: the output with sequences; text: the lengths of its levels
  };
  Kind kind = Kind::assign;
  Text text;
  std::vector<Require> require_list;
  Statements body;
  Statements otherwise;
  Span body_key;                   ///< `then`, `nodes`
  Span otherwise_key;              ///< `else`
  std::vector<Text> names;         ///< loop: the loop-carried tensors
  std::vector<Text> scan_outputs;  ///< loop: `outputs`; stacks the values of all iterations along a new axis 0
  Text trips;                      ///< loop: `for`; may be empty
};

struct Binding {
  Text name;
  Text value;
};

struct Variant {
  Span span;
  Text doc;
  Text opset;  ///< "20+", "11..12", "13"; empty: the opsets of its nodes
  Text when;
  std::vector<Binding> let;
  std::vector<Require> require;
  Statements nodes;
};

/// A parameter that can be an attribute, a tensor or a list of tensors.
struct Param {
  Text name;  ///< of the attribute
  Text kind;  ///< int_array, int, float_array, float
};

/// A slot or attribute of an operator that is not in the facts.
struct Declared {
  Text name;
  Text type;  ///< inputs, outputs: "tensor", "tensor?", "list"; attrs: "int = 1", "floats", "string = NCHW"
};
struct Signature {
  Span span;
  std::vector<Declared> inputs, outputs, attrs;
};

struct Example {
  Span span;
  size_t number = 0;  ///< within the file's list, from 0
  Text name;
  YamlNode body;  ///< the whole mapping, checked by spec/example.h
};

/// One operator mapping (`op:` or one row of `for_each:`, already expanded).
struct OpSpec {
  Span span;  ///< of `op`, or of the row's key
  Text op;
  bool onnx = false;  ///< an ONNX operator; the recipe converts it to Paddle's operators
  std::string file;
  Text doc;
  Row row;  ///< the row of for_each, by column
  std::optional<Signature> signature;
  std::vector<Text> inputs, outputs, attrs;
  std::vector<Param> params;
  std::vector<Binding> ignore;  ///< attribute or slot -> reason
  std::vector<Require> require;
  Text layout;                     ///< attribute that names the layout
  std::vector<Text> layout_names;  ///< operands and results with this layout
  std::vector<Text> complex;       ///< operands that can be complex: pairs along an additional last axis
  std::vector<Binding> let;
  std::vector<Variant> variants;  ///< `nodes:` alone is one variant
  Text native;
  Text why;
  std::vector<Text> models;  ///< models that test the operator, instead of examples
  std::vector<Text> limits;  ///< sentences for the support matrix
  std::vector<Example> examples;
};

/// A shared recipe: `function: raise_rank(X: tensor, n: int) -> Y: tensor`.
struct Function {
  Span span;
  std::string file;
  Text head;
  Text doc;
  std::vector<Binding> let;
  std::vector<Require> require;
  std::vector<Variant> variants;
  bool broken = false;  ///< it has an error: only its head is valid
  Text replaces;        ///< the ONNX operator whose nodes it replaces; may be empty
  Text is;              ///< short form: the result as one expression; else `nodes` or `variants` assign the results
};

/// A requirement that recipes share, with its message: `function: one_level(X: tensor)`.
struct Requirement {
  Span span;
  std::string file;
  Text head;
  Text doc;
  Require body;
};

struct SpecSet {
  std::vector<OpSpec> ops;                ///< sorted by operator; without those that have errors
  std::vector<OpSpec> onnx;               ///< the same for ONNX operators
  std::vector<Function> functions;        ///< sorted by name
  std::vector<Requirement> requirements;  ///< sorted by name
};

/// Reads every *.yaml below `root`/ (facts and schema aside). Paths in spans are relative to `base`.
SpecSet read_specs(const std::string& root, const std::string& base, Diagnostics& diagnostics);
/// Reads several folders and files.
SpecSet read_specs(const std::vector<std::string>& roots, const std::string& base, Diagnostics& diagnostics);

/// Reads one file into `specs`, unsorted.
void read_spec_file(const Source& source, SpecSet& specs, Diagnostics& diagnostics);

/// ONNX operators begin in upper case, Paddle operators in lower case.
inline bool is_onnx_name(const std::string& op) {
  const size_t name = op.rfind('.') + 1;  // behind the domain: com.microsoft.Gelu
  return name < op.size() && op[name] >= 'A' && op[name] <= 'Z';
}

/// The folder of a spec file: opspecs/<family>/<file>.yaml.
std::string family_of(const std::string& spec_file);

/// The location of byte `offset` of an expression's text in its file.
Span span_at(const Text& text, size_t offset, size_t length);
/// A part of a text, such as {braces}, with its location.
Text part_of(const Text& text, size_t offset, size_t length);

}  // namespace opgen

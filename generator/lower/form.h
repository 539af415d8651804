// The lowered form of recipes: a small typed tree in which everything is decided. Temporaries, conversions, the order
// of evaluation, constants of for_each rows and what each result becomes are explicit; printers and interpreters only
// follow it. docs/design/lowered-form.md has the reasons.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "generator/check/builtins.h"
#include "generator/check/program.h"

namespace opgen::lowered {

/// A variable of a recipe. Its address is its identity; the name is only for readers.
struct Variable {
  std::string name;
  Type type;
  bool changes = false;  ///< true if it is assigned again after its definition
  int uses = 0;          ///< number of reads
};
using VariablePtr = std::shared_ptr<Variable>;

struct DtypeName {
  std::string name;
  friend bool operator==(const DtypeName&, const DtypeName&) = default;
};
using Literal = std::variant<bool, int64_t, double, std::string, DtypeName>;

struct Expr;
struct Statement;
struct Routine;
using ExprPtr = std::shared_ptr<Expr>;
using Block = std::vector<Statement>;

/// A value. Operands are evaluated from the last to the first; elements of a list and operands of a node are evaluated
/// in order. If several of them emit nodes, lowering has stored all but the last evaluated one in temporaries.
struct Expr {
  enum class Kind : uint8_t {
    constant,   ///< literal
    omitted,    ///< an omitted operand or tensor
    variable,   ///< variable
    operation,  ///< operation, args; refusals name the first argument with `subject`
    node,       ///< of ONNX: group (or the parameter `variable`), args: operands; attributes; count
    fluid,      ///< of Paddle: literal, its type (or the parameter `variable`); attributes: operands (lists of them)
                ///< and attributes; count. Of the type string: the operator's type alone
    call,       ///< function, args: its result, or all results behind `unpack`
    result,     ///< the result number `index` of args[0], which has several results
    list,       ///< args
    choice,     ///< args: condition, then, else
    both,       ///< args: evaluates the second one only if the first one is true
    either,     ///< args: evaluates the second one only if the first one is false
    each,       ///< a list: for `variables` in args: body, then `value` if `filter` is true. If `value` is a
                ///< list, its elements
  };
  Kind kind = Kind::constant;
  Type type;
  Effect effect = Effect::none;
  Literal literal;
  VariablePtr variable;
  const Operation* operation = nullptr;
  std::string subject;
  const OnnxGroup* group = nullptr;
  std::vector<std::pair<std::string, ExprPtr>> attributes;
  ExprPtr count;  ///< the number of results, for a node with several
  const Routine* function = nullptr;
  size_t index = 0;
  std::vector<ExprPtr> args;
  std::vector<VariablePtr> variables;
  Block body;
  ExprPtr value, filter;
};

/// For a loop: the variables and results of an iteration. For a branch: the results of each side.
struct Iteration {
  VariablePtr number;
  std::vector<VariablePtr> state;
  ExprPtr cond;
  std::vector<ExprPtr> carried, scan_outputs;
};

struct Statement {
  enum class Kind : uint8_t {
    note,        ///< text: a comment
    declare,     ///< variables[0], which a later statement assigns
    define,      ///< variables[0] = value
    assign,      ///< variables[0] = value, defined before
    unpack,      ///< variables (null: unused) = the results of value
    output,      ///< the result `text` = value
    give,        ///< the results of a function: values
    done,        ///< returns from the converter
    refuse,      ///< code `text`; the message is the concatenation of `values`
    need_opset,  ///< refuses the operator below the opset `number`
    run,         ///< `value`, a call without results
    if_,         ///< value; body, otherwise
    for_,        ///< variables in values; body
    loop,        ///< ONNX Loop: variables[0] = final state and scan outputs; values: times, cond, first state; body
    branch,      ///< ONNX If: variables[0] = results; value; body, otherwise
  };
  Kind kind = Kind::note;
  std::vector<VariablePtr> variables;
  ExprPtr value;
  std::vector<ExprPtr> values;
  std::string text;
  int number = 0;
  int line = 0;  ///< the line in the routine's spec; 0 for the whole routine
  Block body, otherwise;
  Iteration iteration, other;  ///< loop: `iteration`; branch: the results of body and of otherwise
};

/// The refusal if no variant matches.
inline constexpr const char* kNoVariant = "E_NO_VARIANT";
inline constexpr const char* kNoVariantText = "no variant of the spec matches these attributes, shapes and types";

/// A library function, the common part of the rows of a table, or a converter.
struct Routine {
  std::string name;
  std::string doc;
  std::string spec;  ///< its file
  int line = 0;      ///< its first line in that file
  std::vector<VariablePtr> parameters;
  std::vector<Type> results;
  Block body;
  Effect effect = Effect::none;
};
using RoutinePtr = std::shared_ptr<Routine>;

struct Converter {
  const CheckedOp* op = nullptr;
  RoutinePtr routine;  ///< null for native converters; equal rows of a table share one
};

/// A function whose nodes replace those of an ONNX operator.
struct Replacement {
  const CheckedFunction* function = nullptr;
  RoutinePtr routine;
};

struct Program {
  std::vector<RoutinePtr> functions;  ///< callees before callers
  std::vector<Replacement> replacements;
  std::vector<RoutinePtr> families;   ///< common parts of similar rows of a table
  std::vector<Converter> converters;  ///< sorted by operator
  std::vector<Converter> onnx;        ///< the same for ONNX operators
};

}  // namespace opgen::lowered

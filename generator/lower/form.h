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

/// A name of a recipe. Its address is its identity: what it is called is for people.
struct Variable {
  std::string name;
  Type type;
  bool changes = false;  ///< is assigned again after its definition
  int uses = 0;          ///< how often it is read
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

/// A value. Operands are evaluated from the last to the first, elements of a list and operands of a node in order;
/// where more than one of them emits nodes, lowering has made temporaries of all but the last one evaluated.
struct Expr {
  enum class Kind : uint8_t {
    constant,   ///< literal
    omitted,    ///< an operand or tensor that is left out
    variable,   ///< variable
    operation,  ///< operation, args; `subject` names the first one in refusals
    node,       ///< of ONNX: group (or the parameter `variable`), args: operands; attributes; count
    fluid,      ///< of Paddle: literal, its type (or the parameter `variable`); attributes: operands (lists of them)
                ///< and attributes; count. Of the type string: the operator's type alone
    call,       ///< function, args: its result, or all results behind `unpack`
    result,     ///< one result of args[0], which gives several: `index`
    list,       ///< args
    choice,     ///< args: condition, then, else
    both,       ///< args: the second one only if the first one holds
    either,     ///< args: the second one only if the first one does not hold
    each,       ///< a list: for `variables` in args: body, then `value`; only where `filter` holds. If `value` is
                ///< itself a list, its elements
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
  ExprPtr count;  ///< of a node with several results: how many
  const Routine* function = nullptr;
  size_t index = 0;
  std::vector<ExprPtr> args;
  std::vector<VariablePtr> variables;
  Block body;
  ExprPtr value, filter;
};

/// Of a loop: what an iteration has and gives. Of a branch: what each side gives.
struct Iteration {
  VariablePtr number;
  std::vector<VariablePtr> state;
  ExprPtr cond;
  std::vector<ExprPtr> carried, scan_outputs;
};

struct Statement {
  enum class Kind : uint8_t {
    note,          ///< text: for people
    declare,       ///< variables[0], to be assigned later
    define,        ///< variables[0] = value
    assign,        ///< variables[0] = value, defined before
    unpack,        ///< variables (null: thrown away) = the results of value
    output,        ///< the result `text` = value
    give,          ///< the results of a function: values
    done,          ///< leaves the converter
    refuse,        ///< code `text`, the message is the joined `values`
    refuse_opset,  ///< needs the opset `number`
    run,           ///< `value`, a call that gives nothing
    if_,           ///< value; body, otherwise
    for_,          ///< variables in values; body
    loop,          ///< ONNX Loop: variables[0] = final state and scan outputs; values: times, cond, first state; body
    branch,        ///< ONNX If: variables[0] = results; value; body, otherwise
  };
  Kind kind = Kind::note;
  std::vector<VariablePtr> variables;
  ExprPtr value;
  std::vector<ExprPtr> values;
  std::string text;
  int number = 0;
  int line = 0;  ///< of the routine's spec; 0: the whole routine
  Block body, otherwise;
  Iteration iteration, other;  ///< loop: `iteration`; branch: what body and otherwise give
};

/// The message of refuse_opset about a whole recipe.
inline constexpr const char* kThisOperator = "this operator";
/// The refusal where no variant fits.
inline constexpr const char* kNoVariant = "E_NO_VARIANT";
inline constexpr const char* kNoVariantText = "no variant of the spec matches these attributes, shapes and types";

/// A function of the library, what rows of a table share, or a converter.
struct Routine {
  std::string name;
  std::string doc;
  std::string spec;  ///< its file
  int line = 0;      ///< where it begins there
  std::vector<VariablePtr> parameters;
  std::vector<Type> results;
  Block body;
  Effect effect = Effect::none;
};
using RoutinePtr = std::shared_ptr<Routine>;

struct Converter {
  const CheckedOp* op = nullptr;
  RoutinePtr routine;  ///< null: native. Equal rows of a table have the same one
};

struct Program {
  std::vector<RoutinePtr> functions;  ///< callees before callers
  std::vector<RoutinePtr> families;   ///< what rows of one table share that differ in little
  std::vector<Converter> converters;  ///< sorted by operator
  std::vector<Converter> onnx;        ///< of ONNX's operators, likewise
};

}  // namespace opgen::lowered

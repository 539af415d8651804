// What the language can compute: one row for each built-in, with its signature, types, effect, printing and doc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generator/expr/types.h"

namespace opgen {

/// What may happen when an operation runs, besides giving its value. Of two that compute or emit, the order counts.
enum class Effect : uint8_t {
  none,
  refuses,   ///< the operator may be refused
  computes,  ///< nodes are emitted when a number is known only at run time
  emits,     ///< nodes are emitted
};

/// An operation on given types. Types are spelled as in heads of functions; `list` is any list, `any` everything,
/// `slot` the name of an operand, result, attribute or parameter. As a result `same` is the type of the first operand
/// and `element` that of its elements.
struct Operation {
  std::string_view name;
  const char* parameters;
  const char* result;
  Effect effect;
  /// The C++ that computes it. $1, $2 ... are the operands; $what is the name of the first one, for refusals.
  ///   "$1 + $2"    prints a + b
  ///   "$1"         is the operand: not an operation in lowered code
  ///   "~Dim($1)"   prints a where C++ expects a Dim and converts implicitly, else Dim(a)
  ///   ""           is not printed, because lowering replaced it by other operations
  const char* cpp;
};

struct Builtin {
  const char* name;
  const char* signature;  ///< for messages and the reference page
  const char* doc;
  int least;                        ///< number of arguments
  int most;                         ///< -1: any
  std::vector<Operation> forms;     ///< narrow types first; empty for those that check and lowering treat one by one
  const char* otherwise = nullptr;  ///< help when a tensor is given to what is for numbers
};

const std::vector<Builtin>& builtins();
const Builtin* find_builtin(const std::string& name);

/// Operators and what lowering needs beside the built-ins: "+", "at", "convert", "input" ...
const std::vector<Operation>& operations();

/// The first of the built-in's forms, or of the operations called `name`, that takes these types; one that must
/// narrow a number (refused when it is known only at run time) comes last. nullptr if missing.
const Operation* find_form(const Builtin& builtin, const std::vector<Type>& given);
/// The first argument that no form takes, and what it should be: "a list", "'scalar'"; {0, ""} if each fits some form.
struct Misfit {
  size_t index = 0;
  std::string wanted;
};
Misfit find_misfit(const Builtin& builtin, const std::vector<Type>& given);
/// True if some form wants a tensor there.
bool wants_tensor(const Builtin& builtin, size_t index);
const Operation* find_operation(const std::string& name, const std::vector<Type>& given);
/// The conversion between two types; nullptr if it takes several steps, or none.
const Operation* find_conversion(const Type& from, const Type& to);
/// What an operation takes and gives. A parameter of unknown base takes what it is given.
std::vector<Type> parameter_types(const Operation& operation, const std::vector<Type>& given);
Type result_type(const Operation& operation, const std::vector<Type>& given);

/// Constants by name: dtypes, pi, inf, opset. Type base unknown if missing.
Type builtin_constant(const std::string& name);
std::vector<std::string> builtin_constant_names();

/// The ONNX operator that "+", "-", "*", "/" or "**" between tensors is; nullptr for other operators.
const char* operator_node(const std::string& op);

}  // namespace opgen

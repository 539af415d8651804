// Specs after checking: every name resolved, every expression typed, every opset range inferred.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "generator/check/onnx_model.h"
#include "generator/expr/ast.h"
#include "generator/spec/facts.h"

namespace opgen {

/// The places that call each function or requirement, by its name.
using Calls = std::map<std::string, std::map<Place, Span>>;

/// A variable of a recipe.
struct Variable {
  std::string name;
  Type type;
};

struct CheckedBinding {
  std::string name;
  Type type;
  ExprPtr value;
  bool read = false;
};

struct CheckedRequire {
  ExprPtr that;
  std::string message;  ///< can contain {expressions}
  std::vector<ExprPtr> holes;
  std::vector<std::string> pieces;  ///< text before, between and after the expressions
  std::string code;
};

/// A requirement of the library: its condition and message, with its parameters.
struct CheckedRequirement {
  const Requirement* spec = nullptr;
  FunctionHead head;
  CheckedRequire body;
};

struct CheckedStatement {
  Statement::Kind kind = Statement::Kind::assign;
  std::vector<Target> targets;   ///< assign: variables; for_: loop variables; loop, branch: the results
  std::vector<bool> declares;    ///< per target: true for the first assignment, which declares the variable
  std::vector<Type> types;       ///< per target
  ExprPtr expr;                  ///< value, condition or source
  std::vector<Variable> before;  ///< if_: variables that both sides define; declared before the if
  CheckedRequire require;
  std::vector<CheckedStatement> body, otherwise;
  std::vector<Target> state;         ///< loop
  std::vector<Target> scan_outputs;  ///< loop
  ExprPtr trips;                     ///< loop
  ExprPtr cond;                      ///< loop: `while`
  std::string iteration;             ///< loop
  std::string slot;                  ///< lod: the output; `types` has its type
};

struct CheckedVariant {
  const Variant* spec = nullptr;
  OpsetRange range;  ///< the opsets of its nodes, restricted by the spec
  ExprPtr when;
  std::vector<CheckedBinding> let;
  std::vector<CheckedRequire> require;
  std::vector<CheckedStatement> nodes;
  std::set<std::string> assigned_once;  ///< names assigned by just one statement
};

/// True if the variants without a condition cover all these opsets.
bool all_taken(const std::vector<const CheckedVariant*>& variants, const OpsetRange& opsets);

struct CheckedInput {
  std::string name;
  Type type;
};

struct CheckedAttr {
  AttrFact fact;
  Type type;
};

struct CheckedParam {
  std::string name;
  Type type;
  ParamFact sources;
  AttrFact fact;
};

struct CheckedOp {
  const OpSpec* spec = nullptr;
  OpFact fact;
  std::vector<CheckedInput> inputs;
  std::vector<CheckedInput> outputs;
  std::vector<CheckedAttr> attrs;
  std::vector<CheckedParam> params;
  std::vector<std::string> refused_inputs;  ///< optional slots that the spec does not mention
  std::vector<AttrFact> refused_fusions;    ///< fuse_...: only programs rewritten by an inference pass set these
  std::vector<CheckedBinding> let;
  std::vector<CheckedRequire> require;
  std::vector<CheckedVariant> variants;
  OpsetRange range;  ///< the union of the variants
  bool ok = true;
  /// nullptr if the spec does not list it.
  const CheckedInput* output(const std::string& name) const {
    for (const CheckedInput& o : outputs)
      if (o.name == name) return &o;
    return nullptr;
  }
};

struct CheckedFunction {
  const Function* spec = nullptr;
  FunctionHead head;
  std::vector<CheckedBinding> let;
  std::vector<CheckedRequire> require;
  std::vector<CheckedVariant> variants;
  OpsetRange range;
  bool ok = true;
  bool emits_paddle = false;  ///< emits operators of Paddle, directly or in a called function
};

struct CheckedProgram {
  std::vector<CheckedOp> ops;              ///< sorted by name
  std::deque<OpSpec> derived;              ///< specs of ONNX operators, derived from Paddle's specs
  std::vector<CheckedOp> onnx;             ///< conversions of ONNX operators to Paddle, sorted by name
  std::vector<CheckedFunction> functions;  ///< callees before callers
  std::deque<CheckedRequirement> requirements;
  std::set<const OnnxGroup*> groups;  ///< ONNX operators that some recipe emits
  Calls calls;                        ///< functions and requirements that some recipe calls

  /// True if the entry of `onnx` is derived.
  bool is_derived(const CheckedOp& op) const {
    return std::any_of(derived.begin(), derived.end(), [&](const OpSpec& spec) { return &spec == op.spec; });
  }
};

/// The input slots that a converter reads without `has()` and that Paddle's definition of the operator requires.
std::vector<std::string> required_inputs(const CheckedOp& op);

/// Checks everything that can be checked without running a converter.
CheckedProgram check(const SpecSet& specs, const Facts& facts, const OnnxModel& onnx, Diagnostics& diagnostics);

}  // namespace opgen

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

/// A name that holds a value.
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
  std::string message;  ///< may hold {expressions}
  std::vector<ExprPtr> holes;
  std::vector<std::string> pieces;  ///< text before, between and behind the holes
  std::string code;
};

/// One of the library: its condition and message over its parameters.
struct CheckedRequirement {
  const Requirement* spec = nullptr;
  FunctionHead head;
  CheckedRequire body;
};

struct CheckedStatement {
  Statement::Kind kind = Statement::Kind::assign;
  std::vector<Target> targets;   ///< assign; for_: loop variables; loop, branch: names that take the results
  std::vector<bool> declares;    ///< per target: first assignment, so it is declared here
  std::vector<Type> types;       ///< per target
  ExprPtr expr;                  ///< value, condition or source
  std::vector<Variable> before;  ///< if_: names that both sides define, declared in front of it
  CheckedRequire require;
  std::vector<CheckedStatement> body, otherwise;
  std::vector<Target> state;         ///< loop
  std::vector<Target> scan_outputs;  ///< loop
  ExprPtr trips;                     ///< loop
  ExprPtr cond;                      ///< loop: `while`
  std::string iteration;             ///< loop
  std::string slot;                  ///< lod: the output, whose type is that of `types`
};

struct CheckedVariant {
  const Variant* spec = nullptr;
  OpsetRange written;
  OpsetRange range;  ///< what its nodes allow, narrowed by what is written
  ExprPtr when;
  std::vector<CheckedBinding> let;
  std::vector<CheckedRequire> require;
  std::vector<CheckedStatement> nodes;
  std::set<std::string> assigned_once;  ///< names assigned by just one statement
};

/// Whether the variants, which have no condition, take all these opsets.
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

/// The LoD of an output: the lengths of its levels, or of a list, those of each tensor.
struct CheckedLod {
  CheckedInput output;
  ExprPtr value;
};

struct CheckedOp {
  const OpSpec* spec = nullptr;
  OpFact fact;
  std::vector<CheckedInput> inputs;
  std::vector<CheckedInput> outputs;
  std::vector<CheckedAttr> attrs;
  std::vector<CheckedParam> params;
  std::vector<std::string> refused_inputs;  ///< optional slots that the spec does not speak of
  std::vector<AttrFact> refused_fusions;    ///< fuse_...: set only in programs that an inference pass has rewritten
  std::vector<CheckedBinding> let;
  std::vector<CheckedRequire> require;
  std::vector<CheckedLod> lod;
  std::vector<CheckedVariant> variants;
  OpsetRange range;  ///< of all variants together
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
  bool says_fluid = false;  ///< emits operators of Paddle, itself or by what it calls
};

struct CheckedProgram {
  std::vector<CheckedOp> ops;              ///< sorted by name
  std::deque<OpSpec> derived;              ///< specs of ONNX's operators that were read off those of Paddle's
  std::vector<CheckedOp> onnx;             ///< ONNX's operators by Paddle's, sorted by name
  std::vector<CheckedFunction> functions;  ///< callees before callers
  std::deque<CheckedRequirement> requirements;
  std::set<const OnnxGroup*> groups;  ///< ONNX operators that anything emits
  std::set<std::string> called;       ///< functions that anything calls

  /// True if the entry of `onnx` is derived.
  bool is_derived(const CheckedOp& op) const {
    return std::any_of(derived.begin(), derived.end(), [&](const OpSpec& spec) { return &spec == op.spec; });
  }
};

/// The input slots that a converter reads without asking, and that Paddle's definition of the operator requires.
std::vector<std::string> required_inputs(const CheckedOp& op);

/// Checks everything that can be checked without running a converter.
CheckedProgram check(const SpecSet& specs, const Facts& facts, const OnnxModel& onnx, Diagnostics& diagnostics);

}  // namespace opgen

// Expressions as C++ text.
#pragma once

#include <map>
#include <set>
#include <string>

#include "generator/check/program.h"

namespace opgen {

class CppExpressions {
 public:
  explicit CppExpressions(const OnnxModel& onnx, const std::set<std::string>& functions)
      : onnx_(onnx), functions_(functions) {}

  /// The expression with its own type.
  std::string render(const Expr& e) const;
  /// The expression converted to a type.
  std::string render_as(const Expr& e, const Type& want) const;
  /// A call that gives several results: a Values or a std::tuple.
  std::string render_results(const Expr& e, size_t results) const;
  bool is_function(const Expr& e) const { return e.kind == Expr::Kind::call && functions_.count(e.text) > 0; }
  /// Head of a C++ range-for over the source, declaring `vars`; and what must stand at the start of its body.
  std::string for_head(const std::vector<std::string>& vars, const Expr& source, std::string* prologue) const;

  /// A name of the spec as a C++ identifier.
  static std::string identifier(const std::string& name);
  static std::string string_literal(const std::string& text);

  /// Outputs that are variables, parameters of functions ...: set by whoever renders the recipe.
  std::map<std::string, ParamFact> params;  ///< for has(param)
  const std::map<std::string, const CheckedFunction*>* heads = nullptr;

  /// What has been called so far: a file declares what it calls.
  mutable std::set<std::string> called_builders;
  mutable std::set<std::string> called_functions;

 private:
  std::string binary(const Expr& e) const;
  std::string call(const Expr& e) const;
  std::string onnx_call(const Expr& e, size_t results) const;
  std::string builtin(const Expr& e) const;
  std::string operand(const Expr& e) const;
  std::string operands(const std::vector<ExprPtr>& args) const;
  std::string what(const Expr& e) const { return string_literal("'" + e.source + "'"); }
  std::string constant(const Expr& e) const;
  std::string source_of(const Expr& e) const;
  /// Notes a call of a builder, and gives its name.
  const std::string& builder(const std::string& name) const { return *called_builders.insert(name).first; }

  const OnnxModel& onnx_;
  const std::set<std::string>& functions_;
};

}  // namespace opgen

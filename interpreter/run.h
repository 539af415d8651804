// Runs recipes in lowered form on an OpContext: expressions.cc and statements.cc, a case for each kind of the tree.
#pragma once

#include <unordered_map>
#include <vector>

#include "interpreter/program.h"

namespace fluid2onnx::interpreter {

/// One call of a routine.
class Run {
 public:
  /// `lines`: when something is thrown, gets the lines of the spec that were being run, outermost first.
  Run(const Program& program, OpContext& op, std::string& lines) : program_(program), op_(op), lines_(lines) {}

  std::vector<Any> routine(const opgen::lowered::Routine& routine, std::vector<Any> arguments);

 private:
  using Expr = opgen::lowered::Expr;
  using ExprPtr = opgen::lowered::ExprPtr;
  using Statement = opgen::lowered::Statement;
  using Block = opgen::lowered::Block;
  using Iteration = opgen::lowered::Iteration;
  using VariablePtr = opgen::lowered::VariablePtr;

  // expressions.cc
  Any evaluate(const Expr& e);
  template <class T>
  T get(const Expr& e) {
    return take<T>(evaluate(e));
  }
  std::vector<Any> in_order(const std::vector<ExprPtr>& list);
  /// Operands of an operation or a function: from the last to the first.
  std::vector<Any> backwards(const std::vector<ExprPtr>& list);
  Any operation(const Expr& e);
  Any node(const Expr& e);
  Any fluid(const Expr& e);
  Any each(const Expr& e);
  std::vector<Any> call(const Expr& e);
  Values values(const std::vector<ExprPtr>& list);

  // statements.cc
  void note_line(const opgen::lowered::Routine& routine);
  /// True when a statement left the routine.
  bool execute(const Block& block);
  bool execute(const Statement& s);
  void unpack(const Statement& s);
  void refuse(const Statement& s);
  bool repeat(const Statement& s);
  void loop(const Statement& s);
  void branch(const Statement& s);
  void set(const VariablePtr& variable, Any value);
  /// Calls `body` with `variables` set for each element of the lists, up to the end of the shortest. Ends if it returns
  /// false.
  template <class F>
  void for_each(const std::vector<VariablePtr>& variables, const std::vector<Any>& lists, const F& body);

  const Program& program_;
  OpContext& op_;
  std::string& lines_;
  int line_ = 0;
  /// A name is one variable wherever it is used, so that blocks need no scopes.
  std::unordered_map<const opgen::lowered::Variable*, Any> variables_;
  std::vector<Any> results_;
};

template <class F>
void Run::for_each(const std::vector<VariablePtr>& variables, const std::vector<Any>& lists, const F& body) {
  std::vector<std::vector<Any>> columns;
  size_t count = SIZE_MAX;
  for (const Any& list : lists) {
    columns.push_back(elements(list));
    count = std::min(count, columns.back().size());
  }
  for (size_t i = 0; i < count; ++i) {
    for (size_t v = 0; v < variables.size(); ++v) set(variables[v], columns[v][i]);
    if (!body()) return;
  }
}

}  // namespace fluid2onnx::interpreter

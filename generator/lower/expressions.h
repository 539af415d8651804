// Checked expressions in lowered form.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "generator/check/fluid_call.h"
#include "generator/lower/make.h"

namespace opgen::lowered {

/// The ONNX operators, and the functions of the library by name: checked, and lowered.
struct Library {
  const OnnxModel& onnx;
  std::map<std::string, const CheckedFunction*> heads;
  std::map<std::string, RoutinePtr> routines;
};

class ExpressionLowering {
 public:
  ExpressionLowering(const Library& library, const std::map<std::string, ParamFact>& params)
      : library_(library), params_(params) {
    push();
  }

  /// The expression with its own type. What must be computed before goes to the end of `*block`.
  ExprPtr lower(const opgen::Expr& e);
  ExprPtr lower_as(const opgen::Expr& e, const Type& want);
  /// A call that gives several results.
  ExprPtr lower_results(const opgen::Expr& e, size_t results);
  /// Lists to walk over in step, for `names` variables.
  std::vector<ExprPtr> lower_sources(const opgen::Expr& source);
  /// Values in the order in which `backwards` has them evaluated; temporaries where two of them emit nodes.
  using Part = std::function<ExprPtr()>;
  std::vector<ExprPtr> evaluate(const std::vector<Part>& parts, bool backwards);
  bool is_function(const opgen::Expr& e) const;

  // -- names in sight
  struct Name {
    VariablePtr variable;
    ExprPtr constant;      ///< replaces the variable
    bool pending = false;  ///< a result that nothing has assigned yet
    Type type;
  };
  void push() { scopes_.emplace_back(); }
  void pop() { scopes_.pop_back(); }
  Name* find(const std::string& name);
  void bind(const std::string& name, Name what) { scopes_.back()[name] = std::move(what); }
  VariablePtr define(const std::string& name, const Type& type);

  Block* block = nullptr;  ///< where statements go
  int line = 0;            ///< that they come from
  void add(Statement s);

 private:
  ExprPtr name(const opgen::Expr& e);
  ExprPtr binary(const opgen::Expr& e);
  ExprPtr logic(const opgen::Expr& e);
  ExprPtr membership(const opgen::Expr& e);
  ExprPtr choice(const opgen::Expr& e, const Type& want);
  ExprPtr comprehension(const opgen::Expr& e);
  ExprPtr call(const opgen::Expr& e);
  ExprPtr function_call(const opgen::Expr& e);
  ExprPtr builtin_call(const opgen::Expr& e);
  ExprPtr about_slot(const opgen::Expr& e);
  ExprPtr extreme(const opgen::Expr& e);
  ExprPtr node(const opgen::Expr& e, size_t results);
  ExprPtr fluid(const opgen::Expr& e, size_t results);
  /// Evaluates what a call is given: `parts`, then what `argument` makes of each keyword, and how many results it
  /// wants.
  using Argument = std::function<ExprPtr(const Keyword&)>;
  std::vector<ExprPtr> keywords(const opgen::Expr& e, std::vector<Part> parts, const Argument& argument, Expr* out);
  static ExprPtr several(const std::shared_ptr<Expr>& call, const opgen::Expr& e, size_t results);
  ExprPtr fluid_argument(const FluidArgument& argument, const opgen::Expr& e);
  ExprPtr node(const std::string& op, const std::vector<ExprPtr>& operands);
  ExprPtr operand(const opgen::Expr& e);
  ExprPtr operands(const std::vector<opgen::ExprPtr>& args);
  ExprPtr attribute(const OnnxAttr& attr, const opgen::Expr& e);
  ExprPtr operation(const std::string& name, const std::vector<const opgen::Expr*>& args,
                    const std::vector<Type>& types, const std::string& subject = "");
  /// In a separate block.
  ExprPtr lower_apart(const Part& part, Block* into);
  ExprPtr temporary(const ExprPtr& e, size_t position);
  Statement statement(Statement::Kind kind, const VariablePtr& variable, const ExprPtr& value) const;

  const Library& library_;
  const std::map<std::string, ParamFact>& params_;
  std::vector<std::map<std::string, Name>> scopes_;
};

}  // namespace opgen::lowered

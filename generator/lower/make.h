// Makes lowered statements and expressions. Operations on constants are folded.
#pragma once

#include <optional>

#include "generator/lower/form.h"

namespace opgen::lowered {

Statement make_statement(Statement::Kind kind);
ExprPtr make_constant(Literal literal);
ExprPtr make_variable(const VariablePtr& variable);
ExprPtr make_omitted(Base base);
ExprPtr make_list(const Type& type, std::vector<ExprPtr> items);
/// A built-in or an operation; `subject` is the source of its first operand.
ExprPtr make_operation(const Operation& operation, std::vector<ExprPtr> args, const std::string& subject = "");
/// The operation called `name` that takes the types of `args`.
ExprPtr make_operation(const std::string& name, std::vector<ExprPtr> args, const std::string& subject = "");
ExprPtr make_not(const ExprPtr& e);
ExprPtr make_both(const ExprPtr& a, const ExprPtr& b);
ExprPtr make_either(const ExprPtr& a, const ExprPtr& b);
ExprPtr make_choice(const ExprPtr& condition, const ExprPtr& a, const ExprPtr& b);
/// Converts the items of a list, and both sides of a choice, one by one.
ExprPtr make_conversion(const ExprPtr& e, const Type& want, const std::string& subject);

std::optional<bool> truth(const ExprPtr& e);
inline Effect worse(Effect a, Effect b) { return a > b ? a : b; }
/// True if the moment of its evaluation counts.
inline bool has_order(const ExprPtr& e) { return e && e->effect >= Effect::computes; }

}  // namespace opgen::lowered

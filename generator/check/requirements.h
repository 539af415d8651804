// Requirements of the library where recipes call them: their conditions and messages with the arguments in place.
#pragma once

#include <map>
#include <set>
#include <string>

#include "generator/expr/ast.h"

namespace opgen {

/// The arguments for the parameters of a requirement.
using Arguments = std::map<std::string, ExprPtr>;

/// A copy with arguments for parameters.
ExprPtr expand(const Expr& e, const Arguments& arguments);

/// A text as an expression.
ExprPtr text_literal(const std::string& text);

/// The variables of repetitions in it, which an argument must not mean otherwise.
void collect_variables(const Expr& e, std::set<std::string>& names);
/// Whether it reads one of the names.
bool reads_any(const Expr& e, const std::set<std::string>& names);

}  // namespace opgen

// Requirements of the library where recipes call them: their conditions and messages with the arguments in place.
#pragma once

#include <map>
#include <string>

#include "generator/expr/ast.h"

namespace opgen {

/// The arguments for the parameters of a requirement.
using Arguments = std::map<std::string, ExprPtr>;

/// A copy with arguments for parameters.
ExprPtr expand(const Expr& e, const Arguments& arguments);

/// A text as an expression.
ExprPtr text_literal(const std::string& text);

}  // namespace opgen

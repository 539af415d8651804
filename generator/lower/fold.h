// Operations of constants.
#pragma once

#include "generator/lower/form.h"

namespace opgen::lowered {

/// The value of an operation whose operands are constants; null if it has none before a program is read.
ExprPtr fold(const Operation& operation, const std::vector<ExprPtr>& args);

}  // namespace opgen::lowered

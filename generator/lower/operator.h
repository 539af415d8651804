// Converters in lowered form: what an operator reads, then its recipe.
#pragma once

#include "generator/lower/expressions.h"

namespace opgen::lowered {

RoutinePtr lower_operator(const CheckedOp& op, const Library& library);
/// The routine stands in the library already, so that it can be called by those that follow.
void lower_function(const CheckedFunction& f, const Library& library, Routine* routine);
/// Its name, parameters and results.
RoutinePtr lower_head(const CheckedFunction& f);

}  // namespace opgen::lowered

// Converters in lowered form: what an operator reads, then its recipe.
#pragma once

#include "generator/lower/expressions.h"

namespace opgen::lowered {

RoutinePtr lower_operator(const CheckedOp& op, const Library& library);
/// The routine is already in the library, so that later ones can call it.
void lower_function(const CheckedFunction& f, const Library& library, Routine* routine);
/// Its name, parameters and results.
RoutinePtr lower_head(const CheckedFunction& f);

}  // namespace opgen::lowered

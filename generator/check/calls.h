// Which functions a function calls.
#pragma once

#include <set>
#include <string>

#include "generator/spec/spec.h"

namespace opgen {

/// Names of all that is called in its expressions, statements and messages; what cannot be parsed calls nothing.
std::set<std::string> calls_of(const Function& function);
std::set<std::string> calls_of(const Requirement& requirement);

}  // namespace opgen

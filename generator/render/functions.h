// docs/functions.md: what specs can call, by theme.
#pragma once

#include <string>

#include "generator/check/program.h"

namespace opgen {

std::string render_functions(const CheckedProgram& program, const std::string& templates);

}  // namespace opgen

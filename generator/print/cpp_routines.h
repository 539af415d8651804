// Lowered routines as C++ functions.
#pragma once

#include <set>
#include <string>

#include "generator/lower/form.h"

namespace opgen::cpp {

/// `Value name(OpContext&, ...)` without its semicolon.
std::string declaration(const lowered::Routine& routine);
/// The whole function with its comment; of a converter called `convert_NAME`.
std::string definition(const lowered::Routine& routine, bool converter);

}  // namespace opgen::cpp

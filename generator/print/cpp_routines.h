// Lowered routines as C++ functions.
#pragma once

#include <set>
#include <string>

#include "generator/lower/form.h"

namespace opgen::cpp {

/// `Value name(OpContext&, ...)` without its semicolon.
std::string declaration(const lowered::Routine& routine);
/// "convert_Gelu" for "Gelu", "convert_com_microsoft_Gelu" for "com.microsoft.Gelu".
std::string converter_name(const std::string& op);
/// The whole function with its comment; of a converter called `convert_NAME`.
std::string definition(const lowered::Routine& routine, bool converter);

}  // namespace opgen::cpp

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
/// Of a table: "convert_Gelu", or the native.
std::string converter_function(const lowered::Converter& converter);
/// The whole function with its comment. `builders`: the names of all, which no variable gets.
std::string definition(const lowered::Routine& routine, const std::set<std::string>& builders);
/// The same, called `convert_NAME`.
std::string converter(const lowered::Routine& routine, bool with_doc, const std::set<std::string>& builders);

}  // namespace opgen::cpp

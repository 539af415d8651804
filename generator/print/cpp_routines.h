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
/// "Convert convert_Gelu, convert_Mod;" a line or more: each that opgen prints once.
std::string converter_declarations(const std::vector<lowered::Converter>& converters);
/// The whole function with its comment.
std::string definition(const lowered::Routine& routine);
/// The same, called `convert_NAME`: the converter of `operators`.
std::string converter(const lowered::Routine& routine, const std::string& operators);

}  // namespace opgen::cpp

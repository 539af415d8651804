// How generated C++ spells types, constants and names.
#pragma once

#include <set>
#include <string>

#include "generator/lower/form.h"

namespace opgen::cpp {

std::string type(const Type& type);
/// Of a parameter or a constant: by reference where copying costs.
std::string argument_type(const Type& type);
/// True if a variable of this type needs a value to begin with.
bool is_plain(const Type& type);
std::string quoted(const std::string& text);
std::string literal(const lowered::Literal& value);
/// True if the operation is one of the context's, or is given it.
bool asks_context(const Operation& operation);
/// Identifiers that a recipe's names must not hide: C++'s own, and all that the printed code calls.
std::set<std::string> reserved_names();

}  // namespace opgen::cpp

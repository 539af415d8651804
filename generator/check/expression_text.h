// Texts of messages about expressions, and questions about their types.
#pragma once

#include <string>

#include "generator/expr/ast.h"

namespace opgen {

bool is_number(const Type& t);
/// Of numbers: whether the value may be known at run time only.
bool may_be_unknown(const Type& t);

std::string quoted(const Type& t);
/// "2 results", "1 result".
std::string counted(size_t n, const std::string& what);
/// "2 are taken", "1 is taken".
std::string taken(size_t results);

inline constexpr const char* kNameEach = "name each result in a separate statement; '_' discards one";

/// 'float32', the name of a dtype in quotes.
bool names_dtype(const Expr& e);
std::string bare_dtype(const Expr& e);

/// How to make the wanted type from the given one, where a newcomer would not find it; or "".
std::string way_out(const Type& have, const Type& want);

}  // namespace opgen

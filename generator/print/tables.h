// Rows of tables of texts, and their place in templates.
#pragma once

#include <string>
#include <vector>

#include "generator/print/layout.h"

namespace opgen::cpp {

/// A string literal.
Piece text(const std::string& s);
/// "{a, b},": a row of a table in a function.
std::string row(std::vector<Piece> items);
/// Without the line's end, which the template has.
std::string chomp(std::string text);

}  // namespace opgen::cpp

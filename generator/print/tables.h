// Rows of tables of texts, and their place in templates.
#pragma once

#include <string>
#include <vector>

#include "generator/print/page.h"

namespace opgen::cpp {

/// A string literal.
Piece text(const std::string& s);
/// "{a, b},": a row of a table, which is in a function or, at depth 2, in a namespace.
std::string row(std::vector<Piece> items, size_t depth = 3);
/// Of the file of a spec: "kMatmul" for "opspecs/linalg/matmul.yaml", and what defines it.
std::string spec_name(const std::string& file);
std::string spec_constant(const std::string& file);
/// Without the line's end, which the template has.
std::string chomp(std::string text);

}  // namespace opgen::cpp

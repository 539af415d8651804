// Splits an expression into tokens.
#pragma once

#include <string>
#include <vector>

#include "generator/expr/ast.h"

namespace opgen {

struct Token {
  enum class Kind : uint8_t { integer, floating, string, name, symbol, end };
  Kind kind = Kind::end;
  std::string text;  ///< of a string: without quotes and escapes
  Span span;
  size_t from = 0;  ///< byte range in the text that was lexed, for Expr::source
  size_t to = 0;
};

/// The last token is `end`. After a diagnostic the list is empty.
std::vector<Token> lex(const Text& text, const Row& row, Diagnostics& diagnostics);

}  // namespace opgen

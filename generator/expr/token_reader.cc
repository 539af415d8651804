#include "generator/expr/token_reader.h"

#include <string_view>

#include "generator/diagnostics/limits.h"
#include "generator/expr/habits.h"

namespace opgen {

bool TokenReader::expect(const char* symbol) {
  if (accept(symbol)) return true;
  fail("expected '" + std::string(symbol) + "' but found " + found(),
       at(":") && std::string_view(symbol) == "]" ? "slices of lists have no step" : "");
  return false;
}

void TokenReader::expect_end() {
  if (ok_ && peek().kind != Token::Kind::end)
    fail("expected the end of the expression but found " + found(), peek().text == "=" ? "write '==' to compare" : "");
}

void TokenReader::fail(const std::string& message, const std::string& help, const Span* place) {
  const Span& span = place != nullptr ? *place : peek().span;
  if (ok_) diagnostics_.error("bad-expression", span, message, habit().empty() ? help : habit());
  ok_ = false;
}

std::string TokenReader::habit() const {
  if (at("?")) return "write a choice as 'b if a else c'";
  return peek().kind == Token::Kind::name ? word_habit(peek().text) : "";
}

bool TokenReader::too_deep() {
  if (++depth_ <= limits::kExpressionDepth) return false;
  fail("expression is nested too deeply");
  return true;
}

std::string TokenReader::source_since(size_t from) const {
  const size_t to = at_ > 0 ? tokens_[at_ - 1].to : from;
  std::string source;
  // A list in brackets keeps its line breaks.
  for (size_t i = from; i < to; ++i) {
    if (text_.text[i] != '\n') {
      source += text_.text[i];
      continue;
    }
    source += ' ';
    while (i + 1 < to && text_.text[i + 1] == ' ') ++i;
  }
  return source;
}

}  // namespace opgen

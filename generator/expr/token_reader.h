// The tokens of an expression, one after the other, and the mistakes among them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "generator/expr/lexer.h"

namespace opgen {

class TokenReader {
 public:
  TokenReader(const Text& text, const Row& row, Diagnostics& diagnostics)
      : text_(text), row_(row), diagnostics_(diagnostics), tokens_(lex(text, row, diagnostics)) {}

  bool lexed() const { return !tokens_.empty(); }
  bool ok() const { return ok_; }
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool at(const char* symbol) const { return peek().kind == Token::Kind::symbol && peek().text == symbol; }
  bool at_word(const char* word) const { return peek().kind == Token::Kind::name && peek().text == word; }
  Token take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool accept(const char* symbol) { return at(symbol) ? (take(), true) : false; }
  bool accept_word(const char* word) { return at_word(word) ? (take(), true) : false; }

  bool expect(const char* symbol);
  void expect_end();
  void fail(const std::string& message, const std::string& help = "", const Span* place = nullptr);

  /// What the token means in languages that people know.
  std::string habit() const;

  std::string found() const { return peek().kind == Token::Kind::end ? "the end" : "'" + peek().text + "'"; }

 protected:
  /// To be asked by each rule that may call itself; `--depth_` at its end.
  bool too_deep();
  /// The text from a byte to the last token taken.
  std::string source_since(size_t from) const;

  const Text& text_;
  const Row& row_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  bool ok_ = true;
};

}  // namespace opgen

#include "generator/expr/lexer.h"

#include <array>
#include <cctype>
#include <string_view>

#include "generator/diagnostics/text.h"
#include "generator/expr/habits.h"

namespace opgen {
namespace {

constexpr std::array<std::string_view, 23> kSymbols{"->", "//", "**", "==", "!=", "<=", ">=", "(", ")", "[", "]", ",",
                                                    "=",  "+",  "-",  "*",  "/",  "%",  "<",  ">", ":", "@", "?"};

class Lexer {
 public:
  Lexer(const Text& text, const Row& row, Diagnostics& diagnostics)
      : text_(text), in_(text.text), row_(row), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    while (ok_) {
      while (at_ < in_.size() && std::isspace(static_cast<unsigned char>(in_[at_])) != 0) ++at_;
      if (at_ >= in_.size()) break;
      next();
    }
    if (!ok_) return {};
    push(Token::Kind::end, "", in_.size(), in_.size());
    return std::move(tokens_);
  }

 private:
  void next() {
    const char c = in_[at_];
    const size_t from = at_;
    if (c == '$') return column();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    if (c == '"' || c == '\'') return string(c);
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') {
      const auto letters = [this] {
        while (at_ < in_.size() && is_word(in_[at_])) ++at_;
      };
      letters();
      // "fluid.conv2d", an operator of Paddle, is one name.
      if (in_.compare(from, at_ - from, "fluid") == 0 && at_ < in_.size() && in_[at_] == '.') {
        ++at_;
        if (in_.compare(at_, 2, "${") == 0) return fluid_column(from);
        letters();
      }
      return push(Token::Kind::name, in_.substr(from, at_ - from), from, at_);
    }
    for (const std::string_view symbol : kSymbols) {
      if (in_.compare(at_, symbol.size(), symbol) != 0) continue;
      at_ += symbol.size();
      return push(Token::Kind::symbol, std::string(symbol), from, at_);
    }
    if (c == '.') return member();
    size_t length = 1;
    const std::string help = symbol_habit(std::string_view(in_).substr(from), &length);
    while (from + length < in_.size() && (static_cast<unsigned char>(in_[from + length]) & 0xC0) == 0x80) ++length;
    fail(from, length, "unexpected '" + in_.substr(from, length) + "'", help);
  }

  /// `X.shape`: nothing has members.
  void member() {
    const size_t from = at_;
    size_t to = from + 1;
    const auto letters = [&] {
      while (to < in_.size() && is_word(in_[to])) ++to;
    };
    letters();
    size_t last = from;  // of "torch.nn.functional.elu" the function
    while (to > last + 1 && to < in_.size() && in_[to] == '.') {
      last = to++;
      letters();
    }
    const std::string owner = !tokens_.empty() && tokens_.back().kind == Token::Kind::name ? tokens_.back().text : "X";
    const bool called = to < in_.size() && in_[to] == '(';
    fail(from, to - from, "unexpected '" + in_.substr(from, to - from) + "'",
         to > last + 1 ? member_habit(owner, in_.substr(last + 1, to - last - 1), called) : "");
  }

  /// fluid.${name}: the operator that the column names.
  void fluid_column(size_t from) {
    const size_t close = in_.find('}', at_);
    if (close == std::string::npos) return column();
    const size_t hole = at_;
    at_ = close + 1;
    const Cell* cell = name_in(in_.substr(hole + 2, close - hole - 2), hole, at_ - hole);
    if (cell != nullptr) tokens_.push_back({Token::Kind::name, "fluid." + cell->text, cell->span, from, at_});
  }

  void number() {
    const size_t from = at_;
    bool floating = false;
    const auto digits = [this] {
      while (at_ < in_.size() && std::isdigit(static_cast<unsigned char>(in_[at_])) != 0) ++at_;
    };
    digits();
    if (at_ < in_.size() && in_[at_] == '.') {
      floating = true;
      ++at_;
      digits();
    }
    if (at_ < in_.size() && (in_[at_] == 'e' || in_[at_] == 'E')) {
      size_t exponent = at_ + 1;
      if (exponent < in_.size() && (in_[exponent] == '+' || in_[exponent] == '-')) ++exponent;
      if (exponent < in_.size() && std::isdigit(static_cast<unsigned char>(in_[exponent])) != 0) {
        floating = true;
        at_ = exponent;
        digits();
      }
    }
    push(floating ? Token::Kind::floating : Token::Kind::integer, in_.substr(from, at_ - from), from, at_);
  }

  void string(char quote) {
    const size_t from = at_++;
    std::string value;
    while (at_ < in_.size() && in_[at_] != quote) {
      if (in_[at_] == '\\' && at_ + 1 < in_.size()) ++at_;
      value += in_[at_++];
    }
    if (at_ >= in_.size()) return fail(from, 1, "the string has no closing quote");
    ++at_;
    // Names of the row stand in strings as well.
    for (size_t hole = value.find("${"); hole != std::string::npos; hole = value.find("${", hole)) {
      const size_t close = value.find('}', hole);
      if (close == std::string::npos) break;
      const Cell* name = name_in(value.substr(hole + 2, close - hole - 2), from, at_ - from);
      if (name == nullptr) return;
      value.replace(hole, close - hole + 1, name->text);
      hole += name->text.size();
    }
    push(Token::Kind::string, value, from, at_);
  }

  /// The cell of a column that holds names; null after a diagnostic.
  const Cell* name_in(const std::string& column, size_t from, size_t length) {
    const auto found = row_.find(column);
    if (found == row_.end()) {
      const std::vector<std::string> known = names_of(row_);
      fail(from, length, "no column '" + column + "'" + did_you_mean(column, known),
           known.empty() ? "only specs with for_each have columns" : "");
      return nullptr;
    }
    if (!found->second.is_value()) return &found->second;
    fail(from, length, "the column '" + column + "' has values, not names",
         "write '" + column + "': values of the row are names in expressions");
    return nullptr;
  }

  /// ${column}: the name that the row has there, at its place in the row.
  void column() {
    const size_t from = at_;
    const size_t close = in_.find('}', at_);
    if (in_.compare(at_, 2, "${") != 0 || close == std::string::npos)
      return fail(from, 1, "expected '${name}'", "a column of the for_each table is written ${name}");
    const std::string name = in_.substr(at_ + 2, close - at_ - 2);
    at_ = close + 1;
    const Cell* cell = name_in(name, from, at_ - from);
    if (cell == nullptr) return;
    static const Row no_row;
    std::vector<Token> inner = lex(*cell, no_row, diagnostics_);
    if (inner.empty()) {
      ok_ = false;
      return;
    }
    inner.pop_back();
    for (Token& token : inner) tokens_.push_back({token.kind, token.text, token.span, from, at_});
  }

  void push(Token::Kind kind, std::string text, size_t from, size_t to) {
    tokens_.push_back({kind, std::move(text), span_at(text_, from, to > from ? to - from : 1), from, to});
  }

  void fail(size_t from, size_t length, const std::string& message, const std::string& help = "") {
    diagnostics_.error("bad-expression", span_at(text_, from, length), message, help);
    ok_ = false;
  }

  const Text& text_;
  const std::string& in_;
  const Row& row_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace

std::vector<Token> lex(const Text& text, const Row& row, Diagnostics& diagnostics) {
  return Lexer(text, row, diagnostics).run();
}

}  // namespace opgen

#include "generator/expr/lexer.h"

#include <array>
#include <cctype>
#include <set>
#include <string_view>

#include "generator/base/text.h"
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
    const auto column = close == std::string::npos ? row_.end() : row_.find(in_.substr(at_ + 2, close - at_ - 2));
    if (column == row_.end()) return this->column();
    at_ = close + 1;
    push(Token::Kind::name, "fluid." + column->second.text, from, at_);
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
    if (at_ >= in_.size()) return fail(from, 1, "string without its closing quote");
    ++at_;
    // Columns stand in strings as well.
    for (size_t hole = value.find("${"); hole != std::string::npos; hole = value.find("${", hole)) {
      const size_t close = value.find('}', hole);
      if (close == std::string::npos) break;
      const auto column = row_.find(value.substr(hole + 2, close - hole - 2));
      if (column == row_.end())
        return fail(from, at_ - from, "no column '" + value.substr(hole + 2, close - hole - 2) + "'");
      std::string text = column->second.text;
      if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
      value.replace(hole, close - hole + 1, text);
      hole += text.size();
    }
    push(Token::Kind::string, value, from, at_);
  }

  /// ${name}: the tokens of the column, at the place of the hole.
  void column() {
    const size_t from = at_;
    const size_t close = in_.find('}', at_);
    if (in_.compare(at_, 2, "${") != 0 || close == std::string::npos)
      return fail(from, 1, "expected '${name}'", "a column of the for_each table is written ${name}");
    const std::string name = in_.substr(at_ + 2, close - at_ - 2);
    at_ = close + 1;
    const auto column = row_.find(name);
    if (column == row_.end()) {
      std::vector<std::string> known;
      for (const auto& [key, value] : row_) known.push_back(key);
      const std::string hint = known.empty() ? "only specs with for_each have columns" : "";
      return fail(from, at_ - from, "no column '" + name + "'" + did_you_mean(name, known), hint);
    }
    static const Row no_row;
    std::vector<Token> inner = lex(column->second, no_row, diagnostics_);
    if (inner.empty()) {
      ok_ = false;
      return;
    }
    inner.pop_back();
    // The text of the hole counts as one place. An expression stays one: 2 * ${n} with "1 + 2" is 6.
    const bool together = is_compound(inner);
    if (together) push(Token::Kind::symbol, "(", from, at_);
    for (Token& token : inner) push(token.kind, token.text, from, at_);
    if (together) push(Token::Kind::symbol, ")", from, at_);
  }

  /// Operators outside of all brackets; but not a list of arguments.
  static bool is_compound(const std::vector<Token>& tokens) {
    static const std::set<std::string_view> operators{"+",  "-", "*",  "/",   "//", "%",   "**", "==", "!=",  "<",
                                                      "<=", ">", ">=", "and", "or", "not", "in", "if", "else"};
    int depth = 0;
    bool found = false;
    for (const Token& t : tokens) {
      if (t.kind != Token::Kind::symbol && t.kind != Token::Kind::name) continue;
      if (t.text == "(" || t.text == "[") ++depth;
      if (t.text == ")" || t.text == "]") --depth;
      if (depth > 0) continue;
      if (t.text == "," || t.text == "=") return false;
      found = found || operators.count(t.text) > 0;
    }
    return found;
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

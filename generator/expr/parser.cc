// Recursive descent over the grammar of docs/spec-reference.md.
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "generator/diagnostics/limits.h"
#include "generator/expr/ast.h"
#include "generator/expr/token_reader.h"

namespace opgen {
namespace {

using K = Expr::Kind;

class Parser : public TokenReader {
 public:
  using TokenReader::TokenReader;

  /// expr := or ['if' or 'else' expr]
  ExprPtr expression() {
    if (too_deep()) return nothing();
    const size_t from = peek().from;
    ExprPtr value = disjunction();
    if (ok_ && at_word("if")) {
      const Token word = take();
      ExprPtr condition = disjunction();
      if (!accept_word("else"))
        fail("expected 'else' but found " + found(), "write a choice as 'a if condition else b'");
      ExprPtr other = ok_ ? expression() : nothing();
      value = make(K::conditional, word, from, "if", {value, condition, other});
    }
    --depth_;
    return value;
  }

  std::vector<Target> targets() {
    std::vector<Target> list;
    do {
      if (peek().kind != Token::Kind::name) {
        fail("expected a name but found " + found());
        return list;
      }
      const Token name = take();
      if (value_in(row_, name.text) != nullptr)
        fail("'" + name.text + "' is a column of the table", "choose another name", &name.span);
      list.push_back({name.text, name.span});
    } while (accept(","));
    return list;
  }

 private:
  ExprPtr nothing() { return std::make_shared<Expr>(); }

  ExprPtr make(K kind, const Token& token, size_t from, std::string text, std::vector<ExprPtr> args = {}) {
    auto e = std::make_shared<Expr>();
    e->kind = kind;
    e->span = token.span;
    e->text = std::move(text);
    e->args = std::move(args);
    for (const ExprPtr& a : e->args) e->depth = std::max(e->depth, a ? a->depth + 1 : 1);
    if (e->depth > limits::kExpressionDepth) fail("expression is nested too deeply");
    e->source = source_since(from);
    if (e->source.empty()) e->source = e->text;
    return e;
  }

  using Rule = ExprPtr (Parser::*)();

  template <size_t N>
  ExprPtr left_to_right(Rule operand, const char* const (&operators)[N]) {
    const size_t from = peek().from;
    ExprPtr left = (this->*operand)();
    while (ok_) {
      const char* found_operator = nullptr;
      for (const char* o : operators)
        if (at(o) || at_word(o)) found_operator = o;
      if (found_operator == nullptr) break;
      const Token token = take();
      ExprPtr right = (this->*operand)();
      left = make(K::binary, token, from, found_operator, {left, right});
    }
    return left;
  }

  ExprPtr disjunction() { return left_to_right(&Parser::conjunction, {"or"}); }
  ExprPtr conjunction() { return left_to_right(&Parser::negation, {"and"}); }
  ExprPtr negation() {
    if (!at_word("not")) return comparison();
    const size_t from = peek().from;
    const Token token = take();
    ExprPtr value = too_deep() ? nothing() : negation();
    --depth_;
    return make(K::unary, token, from, "not", {value});
  }
  ExprPtr comparison() {
    const size_t from = peek().from;
    ExprPtr left = sum();
    static const char* const operators[] = {"==", "!=", "<", "<=", ">", ">=", "in"};
    for (const char* o : operators) {
      if (!at(o) && !at_word(o)) continue;
      const Token token = take();
      ExprPtr right = sum();
      left = make(K::binary, token, from, o, {left, right});
      for (const char* again : operators)
        if (ok_ && (at(again) || at_word(again))) fail("comparisons cannot be chained", "join two with 'and'");
      return left;
    }
    if (at_word("not") && peek(1).kind == Token::Kind::name && peek(1).text == "in") {
      take();
      const Token token = take();
      ExprPtr right = sum();
      left = make(K::binary, token, from, "not_in", {left, right});
    }
    return left;
  }
  ExprPtr sum() { return left_to_right(&Parser::product, {"+", "-"}); }
  ExprPtr product() { return left_to_right(&Parser::sign, {"*", "/", "//", "%"}); }
  ExprPtr sign() {
    if (!at("-")) return power();
    const size_t from = peek().from;
    const Token token = take();
    ExprPtr value = too_deep() ? nothing() : sign();
    --depth_;
    if (ok_ && value->kind == K::integer) {
      value->integer_value = -value->integer_value;
      value->source = "-" + value->source;
      return value;
    }
    if (ok_ && value->kind == K::floating) {
      value->floating_value = -value->floating_value;
      value->source = "-" + value->source;
      return value;
    }
    return make(K::unary, token, from, "-", {value});
  }
  ExprPtr power() {
    const size_t from = peek().from;
    ExprPtr left = postfix();
    if (!ok_ || !at("**")) return left;
    const Token token = take();
    ExprPtr right = too_deep() ? nothing() : sign();
    --depth_;
    return make(K::binary, token, from, "**", {left, right});
  }

  ExprPtr postfix() {
    const size_t from = peek().from;
    ExprPtr value = atom();
    while (ok_ && at("[")) {
      const Token token = take();
      ExprPtr first = at(":") ? nullptr : expression();
      one_axis();
      if (accept(":")) {
        one_axis();
        ExprPtr last = at("]") ? nullptr : expression();
        one_axis();
        if (!expect("]")) return nothing();
        value = make(K::slice, token, from, "[:]", {value, first, last});
      } else {
        if (!expect("]")) return nothing();
        value = make(K::index, token, from, "[]", {value, first});
      }
    }
    return value;
  }

  /// Slices apply to lists, not to tensors.
  void one_axis() {
    if (at(",")) fail("expected ']' but found ','", "write Slice(X, starts, ends, axes) for a tensor");
    const Token& before = tokens_[at_ - 1];
    if (at(":") && before.kind == Token::Kind::symbol && before.text == ":")
      fail("expected ']' but found ':'",
           "slices of lists have no step; write Slice(X, starts, ends, axes, steps) for a tensor");
  }

  ExprPtr atom() {
    const Token token = peek();
    const size_t from = token.from;
    switch (token.kind) {
      case Token::Kind::integer: {
        take();
        ExprPtr e = make(K::integer, token, from, token.text);
        errno = 0;
        e->integer_value = std::strtoll(token.text.c_str(), nullptr, 10);
        if (errno != 0) fail("integer is out of range", "", &token.span);
        return e;
      }
      case Token::Kind::floating: {
        take();
        ExprPtr e = make(K::floating, token, from, token.text);
        e->floating_value = std::strtod(token.text.c_str(), nullptr);
        return e;
      }
      case Token::Kind::string: take(); return make(K::string, token, from, token.text);
      case Token::Kind::name: return name_or_call();
      case Token::Kind::symbol:
        if (accept("(")) {
          ExprPtr e = expression();
          if (at(",")) fail("expected ')' but found ','", "write a list as [0, -1]");
          expect(")");
          return e;
        }
        if (token.text == "[") return list();
        break;
      case Token::Kind::end: break;
    }
    fail("expected a value but found " + found());
    return nothing();
  }

  ExprPtr name_or_call() {
    const Token token = take();
    const size_t from = token.from;
    if (token.text == "_") return make(K::omitted, token, from, "_");
    if (token.text == "true" || token.text == "false") {
      ExprPtr e = make(K::boolean, token, from, token.text);
      e->integer_value = token.text == "true" ? 1 : 0;
      return e;
    }
    int version = 0;
    if (accept("@")) {
      const std::string& digits = peek().text;
      if (peek().kind != Token::Kind::integer ||
          std::from_chars(digits.data(), digits.data() + digits.size(), version).ec != std::errc())
        fail("expected a version after '@' but found " + found(),
             "write a version as Softmax@11, and a matrix product as MatMul(X, Y)");
      take();
    }
    if (!at("(")) {
      if (version != 0) fail("expected '(' but found " + found());
      const Cell* cell = value_in(row_, token.text);
      return cell != nullptr ? row_value(*cell, token) : make(K::name, token, from, token.text);
    }
    take();
    std::vector<ExprPtr> args;
    std::vector<Keyword> keywords;
    while (ok_ && !at(")")) {
      if (peek().kind == Token::Kind::name && peek(1).kind == Token::Kind::symbol && peek(1).text == "=") {
        const Token key = take();
        take();
        keywords.push_back({key.text, key.span, expression()});
      } else {
        if (!keywords.empty()) fail("expected 'name=value' but found " + found(), "write operands before attributes");
        args.push_back(expression());
      }
      if (!accept(",")) break;
    }
    expect(")");
    ExprPtr call = make(K::call, token, from, token.text, std::move(args));
    for (const Keyword& keyword : keywords) call->depth = std::max(call->depth, keyword.value->depth + 1);
    call->keywords = std::move(keywords);
    call->version = version;
    return call;
  }

  /// What the row has, as if it stood here.
  ExprPtr row_value(const Cell& cell, const Token& token) {
    static const Row no_row;
    ExprPtr value = parse_expression(cell, no_row, diagnostics_);
    if (value == nullptr) {
      ok_ = false;
      return nothing();
    }
    place(*value, token);
    return value;
  }
  static void place(Expr& e, const Token& token) {
    e.span = token.span;
    e.source = token.text;
    for (const ExprPtr& a : e.args) place(*a, token);
  }

  /// for names in list {for names in list} [if condition]
  ExprPtr repetition(const Token& bracket, size_t from, const ExprPtr& element) {
    take();
    const std::vector<Target> vars = targets();
    if (ok_ && !accept_word("in")) fail("expected 'in' but found " + found());
    ExprPtr source = ok_ ? disjunction() : nothing();
    const bool nested = ok_ && at_word("for");
    ExprPtr filter;
    ExprPtr inner = nested ? repetition(bracket, from, element) : element;
    if (!nested && ok_ && accept_word("if")) filter = disjunction();
    ExprPtr e = make(K::comprehension, bracket, from, "for", {inner, source, filter});
    for (const Target& v : vars) e->vars.push_back(v.name);
    e->nested = nested;
    return e;
  }

  ExprPtr list() {
    const Token token = take();
    const size_t from = token.from;
    std::vector<ExprPtr> items;
    if (accept("]")) return make(K::list, token, from, "[]");
    items.push_back(expression());
    if (ok_ && at_word("for")) {
      ExprPtr e = repetition(token, from, items[0]);
      expect("]");
      e->source = source_since(from);
      return e;
    }
    while (ok_ && accept(",")) {
      if (at("]")) break;
      items.push_back(expression());
    }
    expect("]");
    return make(K::list, token, from, "[]", std::move(items));
  }
};

const Row kNoRow;

}  // namespace

ExprPtr parse_expression(const Text& text, const Row& row, Diagnostics& diagnostics) {
  Parser parser(text, row, diagnostics);
  if (!parser.lexed()) return nullptr;
  ExprPtr e = parser.expression();
  parser.expect_end();
  return parser.ok() ? e : nullptr;
}

bool parse_assignment(const Text& text, const Row& row, Diagnostics& diagnostics, Assignment* out) {
  Parser parser(text, row, diagnostics);
  if (!parser.lexed()) return false;
  out->targets = parser.targets();
  if (parser.ok() && !parser.accept("=")) {
    const bool compound = parser.peek(1).kind == Token::Kind::symbol && parser.peek(1).text == "=";
    const std::string name = out->targets.empty() ? "x" : out->targets[0].name;
    parser.fail("expected '=' but found " + parser.found(),
                name == "return" ? "assign a result by its name, as in 'Out = Relu(X)'"
                : compound       ? "write '" + name + " = " + name + " " + parser.peek().text + " ...'"
                                 : "write a statement as 'Out = Relu(X)' or 'y, _ = TopK(X, k)'");
  }
  if (parser.ok()) out->value = parser.expression();
  parser.expect_end();
  return parser.ok();
}

bool parse_for(const Text& text, const Row& row, Diagnostics& diagnostics, ForHead* out) {
  Parser parser(text, row, diagnostics);
  if (!parser.lexed()) return false;
  out->vars = parser.targets();
  if (parser.ok() && !parser.accept_word("in"))
    parser.fail("expected 'in' but found " + parser.found(), "write 'for: i in range(n)'");
  if (parser.ok()) out->source = parser.expression();
  parser.expect_end();
  return parser.ok();
}

bool parse_head(const Text& text, Diagnostics& diagnostics, FunctionHead* out, bool has_results) {
  Parser parser(text, kNoRow, diagnostics);
  if (!parser.lexed()) return false;
  const auto parameter = [&]() -> Parameter {
    Parameter p;
    if (parser.peek().kind != Token::Kind::name) {
      parser.fail("expected a name but found " + parser.found());
      return p;
    }
    const Token name = parser.take();
    p.name = name.text;
    p.span = name.span;
    if (!parser.expect(":")) return p;
    const Token type = parser.take();
    p.type = parse_type(type.text + (parser.accept("?") ? "?" : ""));
    if (p.type.base == Base::unknown) {
      diagnostics.error("unknown-type", type.span,
                        "unknown type '" + type.text + "'" +
                            did_you_mean(type.text, {"tensor", "tensors", "operand", "operands", "int", "ints", "float",
                                                     "floats", "bool", "bools", "string", "strings", "dtype", "dtypes",
                                                     "dim", "dims", "scalar", "scalars"}));
    }
    return p;
  };
  if (parser.peek().kind != Token::Kind::name) {
    parser.fail("expected the function's name but found " + parser.found(),
                "write 'name(X: tensor, n: int) -> Y: tensor', and no result for a requirement");
    return false;
  }
  const Token name = parser.take();
  out->name = name.text;
  out->span = name.span;
  parser.expect("(");
  while (parser.ok() && !parser.at(")")) {
    Parameter p = parameter();
    if (parser.ok() && parser.accept("=")) p.default_value = parser.expression();
    out->parameters.push_back(std::move(p));
    if (!parser.accept(",")) break;
  }
  parser.expect(")");
  if (parser.ok() && has_results && parser.expect("->")) {
    do out->results.push_back(parameter());
    while (parser.ok() && parser.accept(","));
  }
  parser.expect_end();
  return parser.ok();
}

}  // namespace opgen

#include <doctest/doctest.h>

#include "generator/expr/ast.h"
#include "tests/generator/support.h"

namespace opgen::test {
namespace {

/// The expression with every operator in parentheses.
std::string shape(const Expr& e) {
  using K = Expr::Kind;
  switch (e.kind) {
    case K::unary: return "(" + e.text + " " + shape(*e.args[0]) + ")";
    case K::binary: return "(" + shape(*e.args[0]) + " " + e.text + " " + shape(*e.args[1]) + ")";
    case K::conditional:
      return "(" + shape(*e.args[0]) + " if " + shape(*e.args[1]) + " else " + shape(*e.args[2]) + ")";
    case K::index: return shape(*e.args[0]) + "[" + shape(*e.args[1]) + "]";
    default: return e.source;
  }
}

std::string parsed(const std::string& text, const Row& row = {}) {
  Diagnostics diagnostics;
  const auto file = std::make_shared<SourceFile>("test.yaml", text);
  const ExprPtr e = parse_expression({text, {file, 1, 1, 1}}, row, diagnostics);
  return e ? shape(*e) : diagnostics.all().at(0).message;
}

Row row_of(const std::string& column, const std::string& text) {
  Cell cell;
  cell.text = text;
  return {{column, cell}};
}

}  // namespace

TEST_CASE("operators bind as in Python") {
  CHECK(parsed("a + b * c") == "(a + (b * c))");
  CHECK(parsed("a - b - c") == "((a - b) - c)");
  CHECK(parsed("-a ** 2") == "(- (a ** 2))");
  CHECK(parsed("not a == b and c or d") == "(((not (a == b)) and c) or d)");
  CHECK(parsed("a if b else c if d else e") == "(a if b else (c if d else e))");
  CHECK(parsed("xs[i + 1] // 2") == "(xs[(i + 1)] // 2)");
  CHECK(parsed("a not in xs") == "(a not_in xs)");
  CHECK(parsed("-1") == "-1");
}

TEST_CASE("columns of a table take the place of their holes") {
  CHECK(parsed("${onnx}(X)", row_of("onnx", "Relu")) == "${onnx}(X)");
  CHECK(parsed("${n} + 1", row_of("n", "2 * 3")) == "((${n} * ${n}) + 1)");
}

TEST_CASE("mistakes are named") {
  CHECK(parsed("a +") == "expected a value but found the end");
  CHECK(parsed("f(a, b=1, c)") == "expected 'name=value' but found 'c'");
  CHECK(parsed("a < b < c") == "comparisons cannot be chained");
  CHECK(parsed("[a") == "expected ']' but found the end");
  CHECK(parsed("\"a") == "the string has no closing quote");
  CHECK(parsed("${x}") == "no column 'x'");
  CHECK(parsed("99999999999999999999") == "integer is out of range");
  CHECK(parsed(std::string(500, '(') + "a") == "expression is nested too deeply");
}

}  // namespace opgen::test

// Expressions of the spec language, parsed and (after check) typed.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "generator/expr/types.h"
#include "generator/spec/opsets.h"
#include "generator/spec/spec.h"

namespace opgen {

/// What a name denotes.
enum class NameKind : uint8_t { input, attr, param, let, parameter, variable, output };

struct OpFact;
struct Expr;
using ExprPtr = std::shared_ptr<Expr>;

struct Keyword {
  std::string name;
  Span span;
  ExprPtr value;
};

struct Expr {
  enum class Kind : uint8_t {
    integer,        ///< integer_value
    floating,       ///< floating_value
    string,         ///< text
    boolean,        ///< integer_value
    name,           ///< text
    omitted,        ///< `_`
    list,           ///< args
    unary,          ///< text: "-", "not"
    binary,         ///< text: + - * / // % ** == != < <= > >= in not_in and or
    conditional,    ///< args: then, condition, else
    call,           ///< text: callee; version; args, keywords
    index,          ///< args: list, index
    slice,          ///< args: list, from, to (null where left out)
    comprehension,  ///< args: element, source, filter (may be null); vars; nested
  };
  Kind kind = Kind::omitted;
  Span span;  ///< of the token that identifies it: an operator, a name
  std::string text;
  std::string source;  ///< the expression as written
  int64_t integer_value = 0;
  double floating_value = 0;
  int depth = 1;    ///< levels of expressions, itself included
  int version = 0;  ///< Op@version; 0: the newest signature
  std::vector<ExprPtr> args;
  std::vector<Keyword> keywords;
  std::vector<std::string> vars;
  bool nested = false;  ///< of a comprehension: the element is the next `for`, whose elements are joined

  // Filled by check:
  Type type;
  NameKind subject = NameKind::variable;  ///< of the name that has(), used() ... ask about
  bool elements_known = false;            ///< of a comprehension: all of them, while converting
  const OpFact* fluid = nullptr;          ///< of a call of Paddle's operator, whose arguments are all keywords then
  bool constant = false;                  ///< a name of the language that no name of the spec hides
};

/// True if test(part) holds for the expression or one inside; outer ones are tested first.
template <typename Test>
bool contains(const Expr& e, const Test& test) {
  const auto in = [&](const ExprPtr& part) { return part && contains(*part, test); };
  return test(e) || std::any_of(e.args.begin(), e.args.end(), in) ||
         std::any_of(e.keywords.begin(), e.keywords.end(), [&](const Keyword& k) { return in(k.value); });
}
/// Calls visit(part) for the expression and all inside.
template <typename Visit>
void for_each_part(const Expr& e, const Visit& visit) {
  contains(e, [&](const Expr& part) { return visit(part), false; });
}
inline bool reads(const Expr& e, const std::string& name) {
  return contains(e, [&](const Expr& part) { return part.kind == Expr::Kind::name && part.text == name; });
}

struct Target {
  std::string name;  ///< `_`: thrown away
  Span span;
};

struct Assignment {
  std::vector<Target> targets;
  ExprPtr value;
};

struct ForHead {
  std::vector<Target> vars;
  ExprPtr source;
};

struct Parameter {
  std::string name;
  Span span;
  Type type;
  ExprPtr default_value;
};

struct FunctionHead {
  std::string name;
  Span span;
  std::vector<Parameter> parameters;
  std::vector<Parameter> results;
};

/// `row`: the columns of a row of for_each. Values are names in expressions; ${column} denotes the row's name. Each
/// returns null (or an empty head) after a diagnostic.
ExprPtr parse_expression(const Text& text, const Row& row, Diagnostics& diagnostics);
bool parse_assignment(const Text& text, const Row& row, Diagnostics& diagnostics, Assignment* out);
bool parse_for(const Text& text, const Row& row, Diagnostics& diagnostics, ForHead* out);
/// That of a requirement has no results.
bool parse_head(const Text& text, Diagnostics& diagnostics, FunctionHead* out, bool has_results = true);
}  // namespace opgen

// Requirements of recipes: conditions with messages, and calls of requirements in the library.
#include "generator/check/recipes.h"

#include <algorithm>

namespace opgen {

CheckedRequire RecipeChecker::require(const Require& spec, Scope& scope, OpsetRange& range) {
  if (spec.message.text.empty()) return library_requirement(spec.that, scope, range);
  CheckedRequire out;
  out.that = parse_expression(spec.that, row_, diagnostics_);
  if (out.that) expressions_.check_condition(*out.that, scope, range);
  out.code = spec.code.text.empty() ? "E_REQUIRE" : spec.code.text;
  out.message = spec.message.text;
  std::string piece;
  holes(spec.message, out, piece, scope, range);
  out.pieces.push_back(piece);
  if (out.that) {
    expressions_.note_condition(*out.that, scope, true);
    expressions_.learn(*out.that, scope);
  } else {
    scope.known.insert(kBrokenCondition);
  }
  return out;
}

const CheckedRequirement* RecipeChecker::find_requirement(const ExprPtr& call) {
  if (!call) return nullptr;
  if (call->kind != Expr::Kind::call) {
    fail("missing-message", call->span, "the requirement has no message",
         "write 'else: message' below it, or call a library requirement: one_level(X)");
    return nullptr;
  }
  const auto found = expressions_.requirements.find(call->text);
  if (found == expressions_.requirements.end()) {
    expressions_.unknown_requirement(*call);
    return nullptr;
  }
  return found->second->body.that ? found->second : nullptr;
}

bool RecipeChecker::bind_arguments(const Expr& call, const CheckedRequirement& found, Scope& scope, OpsetRange& range,
                                   Arguments* arguments) {
  const size_t errors = diagnostics_.error_count();
  const std::vector<ExprPtr> given = expressions_.arguments(call, found.head, found.spec->head, true, scope, range);
  if (diagnostics_.error_count() > errors) return false;
  const auto in_body = [&](const auto& test) {
    return contains(*found.body.that, test) || std::any_of(found.body.holes.begin(), found.body.holes.end(),
                                                           [&](const ExprPtr& hole) { return contains(*hole, test); });
  };
  for (size_t i = 0; i < given.size(); ++i) {
    (*arguments)[found.head.parameters[i].name] = given[i];
    const auto hides_argument = [&](const Expr& part) {
      return std::any_of(part.vars.begin(), part.vars.end(), [&](const auto& v) { return reads(*given[i], v); });
    };
    if (!in_body(hides_argument)) continue;
    fail("arguments", given[i]->span, "'" + found.head.name + "' has a variable with this name", "choose another name");
    return false;
  }
  const bool names_operator = std::any_of(found.body.holes.begin(), found.body.holes.end(),
                                          [](const ExprPtr& hole) { return reads(*hole, "operator"); });
  if (names_operator && expressions_.operator_name.empty()) {
    fail("arguments", call.span,
         "'" + found.head.name + "' contains the operator's name, which is unknown in functions",
         "call it in the recipe of the operator");
    return false;
  }
  (*arguments)["operator"] = text_literal(expressions_.operator_name);
  return true;
}

/// One that the library has: its condition and message, with the arguments in place.
CheckedRequire RecipeChecker::library_requirement(const Text& text, Scope& scope, OpsetRange& range) {
  CheckedRequire out;
  const ExprPtr call = parse_expression(text, row_, diagnostics_);
  const CheckedRequirement* found = find_requirement(call);
  Arguments arguments;
  if (found == nullptr || !bind_arguments(*call, *found, scope, range, &arguments)) {
    scope.known.insert(kBrokenCondition);
    return out;
  }
  expressions_.calls[found->head.name].emplace(call->span.place(), call->span);
  out.that = expand(*found->body.that, arguments);
  out.that->span = call->span;
  expressions_.check_condition(*out.that, scope, range);
  out.code = found->body.code;
  std::string piece = found->body.pieces[0];
  for (size_t i = 0; i < found->body.holes.size(); ++i) {
    const Expr& written = *found->body.holes[i];
    // A tensor's value cannot be shown: its name is.
    const bool names = written.kind == Expr::Kind::name && written.type.base == Base::tensor;
    const ExprPtr hole = names ? text_literal(arguments[written.text]->source) : expand(written, arguments);
    if (hole->kind == Expr::Kind::string) {
      piece += hole->text;
    } else {
      expressions_.check(*hole, scope, range);
      out.pieces.push_back(piece);
      out.message += piece + "{" + hole->source + "}";
      out.holes.push_back(hole);
      piece.clear();
    }
    piece += found->body.pieces[i + 1];
  }
  out.pieces.push_back(piece);
  out.message += piece;
  expressions_.note_condition(*out.that, scope, true);
  expressions_.learn(*out.that, scope);
  return out;
}

/// "{expression}" in a message shows its value. `piece` is the text since the last one.
void RecipeChecker::holes(const Text& text, CheckedRequire& out, std::string& piece, Scope& scope, OpsetRange& range) {
  for (size_t i = 0; i < text.text.size(); ++i) {
    if (text.text[i] != '{') {
      piece += text.text[i];
      continue;
    }
    const size_t close = text.text.find('}', i);
    if (close == std::string::npos) {
      fail("bad-message", part_of(text, i, text.text.size() - i).span, "the message has '{' without '}'");
      return;
    }
    const Text hole = part_of(text, i + 1, close - i - 1);
    if (ExprPtr e = parse_expression(hole, row_, diagnostics_)) {
      expressions_.check(*e, scope, range);
      out.pieces.push_back(piece);
      out.holes.push_back(e);
      piece.clear();
    }
    i = close;
  }
}

std::vector<CheckedRequire> RecipeChecker::requires_(const std::vector<Require>& spec, Scope& scope,
                                                     OpsetRange& range) {
  std::vector<CheckedRequire> list;
  for (const Require& r : spec) list.push_back(require(r, scope, range));
  return list;
}

}  // namespace opgen

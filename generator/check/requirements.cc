#include "generator/check/requirements.h"

#include "generator/diagnostics/text.h"

namespace opgen {
namespace {

using K = Expr::Kind;

/// The text of an expression, with parameters replaced by arguments.
std::string replaced(const std::string& source, const Arguments& arguments) {
  std::string out;
  for (size_t at = 0; at < source.size();) {
    size_t end = at;
    while (end < source.size() && is_word(source[end])) ++end;
    if (end == at) {
      out += source[at++];
      continue;
    }
    const std::string word = source.substr(at, end - at);
    const auto argument = arguments.find(word);
    out += argument == arguments.end() ? word : argument->second->source;
    at = end;
  }
  return out;
}

}  // namespace

ExprPtr text_literal(const std::string& text) {
  auto literal = std::make_shared<Expr>();
  literal->kind = K::string;
  literal->text = text;
  literal->source = "\"" + text + "\"";
  return literal;
}

ExprPtr expand(const Expr& e, const Arguments& arguments) {
  if (e.kind == K::name)
    if (const auto argument = arguments.find(e.text); argument != arguments.end()) return expand(*argument->second, {});
  auto copy = std::make_shared<Expr>(e);
  if (!arguments.empty()) copy->source = replaced(e.source, arguments);
  for (ExprPtr& a : copy->args)
    if (a) a = expand(*a, arguments);
  for (Keyword& k : copy->keywords)
    if (k.value) k.value = expand(*k.value, arguments);
  return copy;
}

}  // namespace opgen

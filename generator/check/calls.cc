#include "generator/check/calls.h"

#include "generator/expr/ast.h"
#include "generator/spec/recipe_texts.h"

namespace opgen {
namespace {

/// Collects the calls in texts. It ignores errors, because the check parses the texts again and reports them.
class CallCollector {
 public:
  void operator()(const Text& text, TextKind kind) const {
    if (text.text.empty()) return;
    Diagnostics ignored;
    Assignment assignment;
    ForHead head;
    if (kind == TextKind::message) return message(text);
    if (kind == TextKind::expression) return expression(parse_expression(text, {}, ignored));
    if (kind == TextKind::assignment && parse_assignment(text, {}, ignored, &assignment))
      return expression(assignment.value);
    if (kind == TextKind::iteration && parse_for(text, {}, ignored, &head)) expression(head.source);
  }
  std::set<std::string>& calls;

 private:
  void expression(const ExprPtr& e) const {
    if (!e) return;
    for_each_part(*e, [&](const Expr& part) {
      if (part.kind == Expr::Kind::call) calls.insert(part.text);
    });
  }
  /// The expressions in {braces}.
  void message(const Text& text) const {
    for (size_t at = text.text.find('{'); at != std::string::npos; at = text.text.find('{', at + 1)) {
      const size_t close = text.text.find('}', at);
      if (close == std::string::npos) return;
      (*this)({text.text.substr(at + 1, close - at - 1), text.span}, TextKind::expression);
    }
  }
};

}  // namespace

std::set<std::string> calls_of(const Function& function) {
  std::set<std::string> calls;
  each_text(function, CallCollector{calls});
  return calls;
}

std::set<std::string> calls_of(const Requirement& requirement) {
  std::set<std::string> calls;
  const CallCollector collect{calls};
  collect(requirement.body.that, TextKind::expression);
  collect(requirement.body.message, TextKind::message);
  return calls;
}

}  // namespace opgen

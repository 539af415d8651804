#include "generator/check/calls.h"

#include "generator/expr/ast.h"

namespace opgen {
namespace {

class Collector {
 public:
  std::set<std::string> run(const Function& f) {
    expression(f.is);
    bindings(f.let);
    requirements(f.require);
    for (const Variant& v : f.variants) {
      expression(v.when);
      bindings(v.let);
      requirements(v.require);
      statements(v.nodes);
    }
    return std::move(calls_);
  }

  std::set<std::string> run(const Requirement& r) {
    requirements({r.body});
    return std::move(calls_);
  }

 private:
  void expression(const Text& text) {
    if (text.text.empty()) return;
    if (const ExprPtr e = parse_expression(text, no_row_, ignored_)) expression(*e);
  }
  void expression(const Expr& e) {
    if (e.kind == Expr::Kind::call) calls_.insert(e.text);
    for (const ExprPtr& a : e.args)
      if (a) expression(*a);
    for (const Keyword& k : e.keywords)
      if (k.value) expression(*k.value);
  }
  /// The expression in {braces}.
  void message(const Text& text) {
    for (size_t at = text.text.find('{'); at != std::string::npos; at = text.text.find('{', at + 1)) {
      const size_t close = text.text.find('}', at);
      if (close == std::string::npos) return;
      expression(Text{text.text.substr(at + 1, close - at - 1), text.span});
    }
  }
  void bindings(const std::vector<Binding>& list) {
    for (const Binding& b : list) expression(b.value);
  }
  void requirements(const std::vector<Require>& list) {
    for (const Require& r : list) {
      expression(r.that);
      message(r.message);
    }
  }
  void statements(const Statements& list) {
    for (const Statement& s : list) {
      Assignment assignment;
      ForHead head;
      if (s.kind == Statement::Kind::assign) {
        if (parse_assignment(s.text, no_row_, ignored_, &assignment)) expression(*assignment.value);
      } else if (s.kind == Statement::Kind::for_) {
        if (parse_for(s.text, no_row_, ignored_, &head)) expression(*head.source);
      } else {
        expression(s.text);
      }
      if (!s.trips.text.empty() && parse_for(s.trips, no_row_, ignored_, &head)) expression(*head.source);
      requirements(s.require_list);
      statements(s.body);
      statements(s.otherwise);
    }
  }

  const Row no_row_;
  Diagnostics ignored_;  // checking complains
  std::set<std::string> calls_;
};

}  // namespace

std::set<std::string> calls_of(const Function& function) { return Collector().run(function); }

std::set<std::string> calls_of(const Requirement& requirement) { return Collector().run(requirement); }

}  // namespace opgen

#include "generator/lower/dump.h"

#include <cmath>
#include <cstdio>
#include <set>

#include "generator/diagnostics/text.h"
#include "generator/lower/lower.h"
#include "generator/lower/walk.h"

namespace opgen::lowered {
namespace {

using K = Expr::Kind;
using S = Statement::Kind;

std::string literal(const Literal& value) {
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<int64_t>(&value)) return std::to_string(*i);
  if (const auto* s = std::get_if<std::string>(&value)) return "\"" + *s + "\"";
  if (const auto* d = std::get_if<DtypeName>(&value)) return d->name;
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", std::get<double>(value));
  const std::string number = text;
  return number.find_first_of(".en") == std::string::npos ? number + ".0" : number;
}

class Dumper {
 public:
  explicit Dumper(bool shape) : shape_(shape) {}

  std::string routine(const Routine& r) {
    const std::string parameters = declared(r.parameters), results = joined(r.results, type);
    if (!shape_) text_ = r.name + "(" + parameters + ")" + (results.empty() ? "" : " -> " + results) + "\n";
    block(r.body, 1);
    return text_;
  }

 private:
  static std::string type(const Type& t) { return is_unknown(t) ? "node" : type_name(t); }

  std::string declare(const VariablePtr& v) {
    if (!v) return "_";
    if (!shape_) return names_.declare(v);
    const std::string name = "v" + std::to_string(numbers_.size());
    return numbers_[v.get()] = name;
  }
  std::string name(const VariablePtr& v) const { return shape_ ? numbers_.at(v.get()) : names_.of(v); }

  void line(int indent, const std::string& what) {
    text_ += std::string(static_cast<size_t>(indent) * 2, ' ') + what + "\n";
  }

  std::string list(const std::vector<ExprPtr>& items) {
    return joined(items, [&](const ExprPtr& e) { return expr(*e); });
  }

  std::string node(const Expr& e) {
    std::string op = e.variable ? name(e.variable) : e.group->builder;
    if (shape_ && !e.variable) op = e.count ? "NODES" : "NODE";
    if (e.args.empty()) return op;  // a builder given to what rows share
    std::string attributes;
    for (const auto& [key, value] : e.attributes) attributes += ", " + key + "=" + expr(*value);
    if (e.count) attributes += ", results=" + expr(*e.count);
    return op + "(" + list(e.args) + attributes + ")";
  }

  std::string each(const Expr& e) {
    const std::string sources = list(e.args);
    names_.push();
    const std::string variables = joined(e.variables, [&](const VariablePtr& v) { return declare(v); });
    std::string body;
    const std::string outside = std::exchange(text_, "");
    block(e.body, 0);
    for (const char c : std::exchange(text_, outside)) body += c == '\n' ? std::string("; ") : std::string(1, c);
    const std::string filter = e.filter ? " if " + expr(*e.filter) : "";
    const std::string value = (e.value->type.list ? "*" : "") + expr(*e.value);
    names_.pop();
    return "[" + body + value + " for " + variables + " in " + sources + filter + "]: " + type(e.type);
  }

  std::string fluid(const Expr& e) {
    const std::string out = joined(e.attributes, [&](const auto& a) { return a.first + "=" + expr(*a.second); });
    const std::string type = e.variable ? name(e.variable) : shape_ ? "OPERATOR" : std::get<std::string>(e.literal);
    if (e.type.base == Base::string) return type;
    return "fluid." + type + "(" + out + (e.count ? "; " + expr(*e.count) : "") + ")";
  }

  std::string expr(const Expr& e) {
    switch (e.kind) {
      case K::constant: return shape_ ? "?" + type(e.type) : literal(e.literal);
      case K::omitted: return "_";
      case K::variable: return name(e.variable);
      case K::operation: {
        std::string op(e.operation->name);
        if (op == "convert") op = "to " + type(e.type) + " ";
        return op + "(" + list(e.args) + (shape_ && !e.subject.empty() ? " '" + e.subject + "'" : "") + ")" +
               (shape_ ? ":" + type(e.type) : "");
      }
      case K::node: return node(e);
      case K::fluid: return fluid(e);
      case K::call: return e.function->name + "(" + list(e.args) + ")";
      case K::result: return expr(*e.args[0]) + "." + std::to_string(e.index);
      case K::list: return type(e.type) + "[" + list(e.args) + "]";
      case K::choice: return "(" + expr(*e.args[1]) + " if " + expr(*e.args[0]) + " else " + expr(*e.args[2]) + ")";
      case K::both: return "(" + expr(*e.args[0]) + " and " + expr(*e.args[1]) + ")";
      case K::either: return "(" + expr(*e.args[0]) + " or " + expr(*e.args[1]) + ")";
      case K::each: return each(e);
    }
    return "";
  }

  void block(const Block& body, int indent) {
    for (const Statement& s : body) statement(s, indent);
  }
  void nested(const Block& body, int indent) {
    names_.push();
    block(body, indent);
    names_.pop();
  }

  void iteration(const Iteration& t, int indent) {
    if (t.cond) line(indent, "cond " + expr(*t.cond));
    line(indent, "give " + list(t.carried) + (t.scan_outputs.empty() ? "" : "; scan_outputs " + list(t.scan_outputs)));
  }

  std::string declared(const std::vector<VariablePtr>& variables) {
    return joined(variables, [&](const VariablePtr& v) { return declare(v) + (v ? ": " + type(v->type) : ""); });
  }

  void statement(const Statement& s, int indent) {
    const std::string value = s.value ? expr(*s.value) : "";
    switch (s.kind) {
      case S::note: return line(indent, "# " + s.text);
      case S::declare: return line(indent, "var " + declared(s.variables));
      case S::define: return line(indent, declared(s.variables) + " = " + value);
      case S::assign: return line(indent, name(s.variables[0]) + " := " + value);
      case S::unpack: return line(indent, declared(s.variables) + " = " + value);
      case S::output: return line(indent, "output " + s.text + " = " + value);
      case S::give: return line(indent, "give " + list(s.values));
      case S::done: return line(indent, "done");
      case S::refuse: return line(indent, "refuse " + s.text + ": " + list(s.values));
      case S::need_opset: return line(indent, "need opset " + std::to_string(s.number));
      case S::run: return line(indent, "run " + value);
      case S::if_:
        line(indent, "if " + value);
        nested(s.body, indent + 1);
        if (!s.otherwise.empty()) line(indent, "else");
        return nested(s.otherwise, indent + 1);
      case S::for_: {
        const std::string sources = list(s.values);
        names_.push();
        line(indent, "for " + declared(s.variables) + " in " + sources);
        block(s.body, indent + 1);
        return names_.pop();
      }
      case S::loop: return loop(s, indent);
      case S::branch: return branch(s, value, indent);
    }
  }

  void loop(const Statement& s, int indent) {
    const std::string values = list(s.values);
    names_.push();
    const std::string number = declared({s.iteration.number});
    line(indent, "loop " + values + " with " + number + "; " + declared(s.iteration.state));
    block(s.body, indent + 1);
    iteration(s.iteration, indent + 1);
    names_.pop();
    line(indent, declared(s.variables) + " = what it gave");
  }

  void branch(const Statement& s, const std::string& condition, int indent) {
    line(indent, "branch " + condition);
    names_.push();
    block(s.body, indent + 1);
    iteration(s.iteration, indent + 1);
    names_.pop();
    line(indent, "else");
    names_.push();
    block(s.otherwise, indent + 1);
    iteration(s.other, indent + 1);
    names_.pop();
    line(indent, declared(s.variables) + " = what it gave");
  }

  bool shape_;
  Names names_;
  std::map<const Variable*, std::string> numbers_;
  std::string text_;
};

/// The library functions that a routine calls, and theirs.
void collect_calls(const Routine& routine, std::set<const Routine*>* found) {
  look(routine.body, [&](const Expr& e) {
    if (e.function != nullptr && found->insert(e.function).second) collect_calls(*e.function, found);
  });
}

}  // namespace

std::string dump(const Routine& routine, bool shape) { return Dumper(shape).routine(routine); }

std::string dump(const Program& program, const std::string& op) {
  std::string converters;
  std::set<const Routine*> called;
  for (const std::vector<Converter>* list : {&program.converters, &program.onnx})
    for (const Converter& c : *list) {
      if (!c.routine || (!op.empty() && c.op->spec->op.text != op)) continue;
      collect_calls(*c.routine, &called);
      converters += "operator " + dump(*c.routine) + "\n";
    }
  std::string text;
  const auto add = [&](const char* kind, const std::vector<RoutinePtr>& routines) {
    for (const RoutinePtr& r : routines)
      if (op.empty() || called.count(r.get()) > 0) text += kind + dump(*r) + "\n";
  };
  add("function ", program.functions);
  add("rows ", program.families);
  return text + converters;
}

}  // namespace opgen::lowered

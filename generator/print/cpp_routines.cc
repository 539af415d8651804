#include "generator/print/cpp_routines.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "generator/diagnostics/text.h"
#include "generator/lower/walk.h"
#include "generator/print/cpp_expressions.h"

namespace opgen::cpp {
namespace {

using lowered::Block;
using lowered::ExprPtr;
using lowered::Routine;
using lowered::Statement;
using lowered::VariablePtr;
using S = Statement::Kind;

std::string results_type(const Routine& routine) {
  if (routine.results.empty()) return "void";
  if (routine.results.size() == 1) return type(routine.results[0]);
  return "std::tuple<" + joined(routine.results, type) + ">";
}

class Printer {
 public:
  explicit Printer(const std::set<std::string>& builders)
      : names_(reserved(builders)), x_(names_, [this](const Block& b) { return lines(b); }) {}

  std::string function(const Routine& r, const std::string& name, const std::string& comment) {
    if (!comment.empty()) page_.comment(comment);
    std::vector<Piece> parameters{uses_context(r) ? "OpContext& op" : "OpContext&"};
    for (const VariablePtr& p : r.parameters)
      parameters.emplace_back(argument_type(p->type) + (p->uses > 0 ? " " + names_.declare(p) : ""));
    page_.open(Piece::row({Piece::list(results_type(r) + " " + name + "(", std::move(parameters), ")"), " {"}));
    lambda(r.body);
    page_.close();
    return page_.text();
  }

 private:
  /// All builders are declared in every file, also those that it does not call.
  static std::set<std::string> reserved(std::set<std::string> builders) {
    builders.merge(reserved_names());
    return builders;
  }

  /// A function of numbers does without the context.
  static bool uses_context(const Routine& r) {
    bool uses = false;
    lowered::look(
        r.body,
        [&](const lowered::Expr& e) {
          uses = uses || e.group != nullptr || e.kind == lowered::Expr::Kind::fluid || e.function != nullptr ||
                 (e.operation && asks_context(*e.operation));
        },
        [&](const Statement& s) {
          uses = uses || s.kind == S::output || s.kind == S::refuse || s.kind == S::need_opset || s.kind == S::loop ||
                 s.kind == S::branch;
        });
    return uses;
  }

  /// The body of a function or lambda. Loops and branches in it become lambdas, which may not capture structured
  /// bindings: Clang before 16 lacks that.
  void lambda(const Block& body) {
    std::set<const lowered::Variable*> captured;
    const auto collect = [&](const lowered::Expr& e) {
      if (e.variable) captured.insert(e.variable.get());
    };
    lowered::look(
        body, [](const lowered::Expr&) {},
        [&](const Statement& s) {
          if (s.kind != S::loop && s.kind != S::branch) return;
          lowered::look(s.body, collect);
          lowered::look(s.otherwise, collect);
        });
    captured_.swap(captured);
    block(body);
    captured_.swap(captured);
  }

  void block(const Block& body) {
    for (size_t i = 0; i < body.size();) {
      const size_t inputs = count_inputs(body, i);
      if (inputs > 1) page_.line(joined_inputs(body, i, inputs));
      else if (returns(body, i)) page_.line(returned(body[i]));
      else statement(body[i]);
      i += inputs > 1 ? inputs : returns(body, i) ? 2 : 1;
    }
  }

  /// How many operands are read from here on, one by one.
  static size_t count_inputs(const Block& body, size_t from) {
    const auto reads = [](const Statement& s) {
      return s.kind == S::define && !s.variables[0]->changes && s.value->kind == lowered::Expr::Kind::operation &&
             s.value->operation->name == "input";
    };
    size_t to = from;
    while (to < body.size() && reads(body[to])) ++to;
    return to - from;
  }
  Piece joined_inputs(const Block& body, size_t from, size_t count) {
    std::vector<Piece> items;
    for (size_t i = from; i < from + count; ++i)
      items.push_back(
          Piece::row({names_.declare(body[i].variables[0]) + " = ", x_.print(body[i].value, kLoose, true)}));
    return Piece::list("const " + type(body[from].variables[0]->type) + " ", std::move(items), ";");
  }

  /// The last result: the converter is left with it.
  static bool returns(const Block& body, size_t at) {
    return at + 1 < body.size() && body[at].kind == S::output && body[at + 1].kind == S::done;
  }
  Piece returned(const Statement& output) { return Piece::row({"return ", simple(output)}); }
  void nested(const Block& body) {
    names_.push();
    block(body);
    names_.pop();
  }
  /// Statements of a lambda, a line each.
  std::vector<Piece> lines(const Block& body) {
    std::vector<Piece> list;
    for (const Statement& s : body) list.push_back(simple(s));
    return list;
  }

  Piece defined(const VariablePtr& v, const ExprPtr& value) {
    Piece right = x_.print(value, kLoose, true);
    const std::string head = (v->changes ? "" : "const ") + type(v->type) + " ";
    return Piece::row({head + names_.declare(v) + " = ", std::move(right), ";"});
  }

  /// A statement without others inside.
  Piece simple(const Statement& s) {
    switch (s.kind) {
      case S::declare: return type(s.variables[0]->type) + " " + names_.declare(s.variables[0]) + "{};";
      case S::define: return defined(s.variables[0], s.value);
      case S::assign: return Piece::row({names_.of(s.variables[0]) + " = ", x_.print(s.value, kLoose, true), ";"});
      case S::output:
        return Piece::list(s.value->type.list ? "op.set_outputs(" : "op.set_output(",
                           {quoted(s.text), x_.print(s.value, kLoose, true)}, ");");
      case S::give:
        if (s.values.size() == 1) return Piece::row({"return ", x_.print(s.values[0], kLoose, true), ";"});
        return x_.commas("return {", s.values, "};");
      case S::done: return "return;";
      case S::refuse:
        if (s.text == lowered::kNoVariant && s.values[0]->literal == lowered::Literal(lowered::kNoVariantText))
          return "no_variant(op);";
        return Piece::list("op.refuse(", {quoted(s.text), x_.message(s.values)}, ");");
      case S::need_opset: return "need_opset(op, " + std::to_string(s.number) + ");";
      case S::run: return Piece::row({x_.print(s.value), ";"});
      case S::if_: return small_choice(s);
      default: throw std::logic_error("a statement that has no place in an expression");
    }
  }

  /// In a lambda.
  Piece small_choice(const Statement& s) {
    const auto side = [&](const std::string& head, const Block& body) {
      names_.push();
      Piece piece = Piece::block(head, lines(body), "}");
      names_.pop();
      return piece;
    };
    Piece piece = side("if (" + x_.condition(s.value).flat() + ") {", s.body);
    return s.otherwise.empty() ? piece : Piece::row({std::move(piece), " ", side("else {", s.otherwise)});
  }

  void statement(const Statement& s) {
    switch (s.kind) {
      case S::note: return page_.comment(s.text);
      case S::unpack: return unpack(s);
      case S::if_: return choose(s);
      case S::for_: return repeat(s);
      case S::loop: return loop(s);
      case S::branch: return branch(s);
      default: return page_.line(simple(s));
    }
  }

  void unpack(const Statement& s) {
    Piece value = x_.print(s.value);
    const bool captured = std::any_of(s.variables.begin(), s.variables.end(),
                                      [&](const VariablePtr& v) { return v && captured_.contains(v.get()); });
    if (captured) {
      const std::string results = names_.fresh("results");
      page_.line(Piece::list("const auto " + results + " = ", {std::move(value)}, ";"));
      for (size_t i = 0; i < s.variables.size(); ++i)
        if (const VariablePtr& v = s.variables[i])
          page_.line((v->changes ? "" : "const ") + type(v->type) + " " + names_.declare(v) + " = std::get<" +
                     std::to_string(i) + ">(" + results + ");");
      return;
    }
    const std::string list =
        joined(s.variables, [&](const VariablePtr& v) { return v ? names_.declare(v) : names_.fresh("unused"); });
    const bool changes =
        std::any_of(s.variables.begin(), s.variables.end(), [](const VariablePtr& v) { return v && v->changes; });
    page_.line(Piece::list((changes ? "auto [" : "const auto [") + list + "] = ", {std::move(value)}, ";"));
  }

  void choose(const Statement& s) {
    // A return is on the line of its condition, or below it; an assignment only if it fits.
    const bool leaves_with_result = s.body.size() == 2 && returns(s.body, 0);
    if (s.otherwise.empty() && (leaves_with_result || (s.body.size() == 1 && is_short(s.body[0])))) {
      names_.push();
      const Piece only = leaves_with_result ? returned(s.body[0]) : simple(s.body[0]);
      const Piece all = Piece::row({Piece::list("if (", {x_.condition(s.value)}, ") "), only});
      names_.pop();
      if (page_.fits(all)) return page_.line(all);
      if (leaves_with_result || leaves(s.body[0])) {
        page_.line(Piece::list("if (", {x_.condition(s.value)}, ")"));
        return page_.inner(only);
      }
    }
    page_.open(Piece::list("if (", {x_.condition(s.value)}, ") {"));
    nested(s.body);
    if (!s.otherwise.empty()) otherwise(s.otherwise);
    page_.close();
  }

  /// "else if" where the other side is nothing but a choice.
  void otherwise(const Block& body) {
    if (body.size() == 1 && body[0].kind == S::if_) {
      page_.between(Piece::list("} else if (", {x_.condition(body[0].value)}, ") {"));
      nested(body[0].body);
      if (!body[0].otherwise.empty()) otherwise(body[0].otherwise);
      return;
    }
    page_.between("} else {");
    nested(body);
  }

  static bool leaves(const Statement& s) { return s.kind == S::give || s.kind == S::done || s.kind == S::refuse; }
  static bool is_short(const Statement& s) { return s.kind == S::assign || s.kind == S::output || leaves(s); }

  void repeat(const Statement& s) {
    std::vector<Piece> sources;
    for (const ExprPtr& e : s.values) sources.push_back(x_.print(e));
    names_.push();
    const bool read = std::any_of(s.variables.begin(), s.variables.end(), [](const auto& v) { return v->uses > 0; });
    std::string head = read ? "for (" : "for ([[maybe_unused]] ";
    if (s.variables.size() == 1) {
      const Type& t = s.variables[0]->type;
      head += (is_plain(t) ? "const " + type(t) : argument_type(t)) + " " + names_.declare(s.variables[0]);
    } else {
      const auto name = [&](const VariablePtr& v) { return names_.declare(v); };
      head += "const auto& [" + joined(s.variables, name) + "]";
    }
    Piece source = sources.size() == 1 ? sources[0] : Piece::list("zip(", std::move(sources), ")");
    page_.open(Piece::list(head + " : ", {std::move(source)}, ") {"));
    block(s.body);
    names_.pop();
    page_.close();
  }

  void loop(const Statement& s) {
    std::vector<Piece> items;
    for (const ExprPtr& e : {s.values[0], s.values[1]}) items.push_back(x_.print(e, kLoose, true));
    items.push_back(x_.commas("{", s.values[2]->args, "}"));
    const std::string head = "const Values " + names_.declare(s.variables[0]) + " = op.loop(";
    names_.push();
    const std::string number = s.iteration.number->uses > 0 ? " " + names_.declare(s.iteration.number) : "";
    const std::string state = s.iteration.state.empty() ? "" : " " + names_.fresh("state");
    items.emplace_back("[&](Value" + number + ", const Values&" + state + ") -> LoopIteration {");
    page_.open(Piece::list(head, std::move(items), ""));
    for (size_t i = 0; i < s.iteration.state.size(); ++i) {
      const VariablePtr& v = s.iteration.state[i];
      if (v->uses > 0 || v->changes)
        page_.line((v->changes ? "Value " : "const Value ") + names_.declare(v) + " =" + state + "[" +
                   std::to_string(i) + "];");
    }
    lambda(s.body);
    page_.line(Piece::list("return {",
                           {x_.print(s.iteration.cond, kLoose, true), x_.commas("{", s.iteration.carried, "}"),
                            x_.commas("{", s.iteration.scan_outputs, "}")},
                           "};"));
    names_.pop();
    page_.close("});");
  }

  void branch(const Statement& s) {
    const Piece condition = x_.print(s.value, kLoose, true);
    const std::string head = "const Values " + names_.declare(s.variables[0]) + " = op.if_else(";
    page_.open(Piece::list(head, {condition, "[&]() -> Values {"}, ""));
    for (int side = 0; side < 2; ++side) {
      names_.push();
      lambda(side == 0 ? s.body : s.otherwise);
      page_.line(x_.commas("return {", (side == 0 ? s.iteration : s.other).carried, "};"));
      names_.pop();
      if (side == 0) page_.between("}, [&]() -> Values {");
    }
    page_.close("});");
  }

  lowered::Names names_;
  Expressions x_;
  Page page_;
  std::set<const lowered::Variable*> captured_;
};

}  // namespace

std::string converter_name(const std::string& op) {
  std::string name = "convert_" + op;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::string converter_function(const lowered::Converter& c) {
  return c.routine ? converter_name(c.routine->name) : "natives::" + c.op->spec->native.text;
}

std::string declaration(const Routine& routine) {
  std::vector<Piece> types{"OpContext&"};
  for (const VariablePtr& p : routine.parameters) types.emplace_back(argument_type(p->type));
  Page page;
  page.line(Piece::list(results_type(routine) + " " + routine.name + "(", std::move(types), ");"));
  return page.text();
}

std::string definition(const Routine& routine, const std::set<std::string>& builders) {
  return Printer(builders).function(routine, routine.name, routine.doc + ".");
}

std::string converter(const Routine& routine, bool with_doc, const std::set<std::string>& builders) {
  return Printer(builders).function(routine, converter_name(routine.name), with_doc ? routine.doc + "." : "");
}

}  // namespace opgen::cpp

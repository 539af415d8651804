#include "generator/render/cpp_recipe.h"

#include <algorithm>

namespace opgen {
namespace {

using Kind = Statement::Kind;
using K = Expr::Kind;

std::string id(const std::string& name) { return CppExpressions::identifier(name); }
std::string literal(const std::string& text) { return CppExpressions::string_literal(text); }

bool reads(const Expr& e, const std::string& name) {
  if (e.kind == K::name && e.text == name) return true;
  const auto in = [&](const ExprPtr& a) { return a && reads(*a, name); };
  return std::any_of(e.args.begin(), e.args.end(), in) ||
         std::any_of(e.keywords.begin(), e.keywords.end(), [&](const Keyword& k) { return in(k.value); });
}

bool reads(const std::vector<CheckedStatement>& list, const std::string& name);
bool reads(const CheckedStatement& s, const std::string& name) {
  const auto state = [&](const std::vector<Target>& targets) {
    return std::any_of(targets.begin(), targets.end(), [&](const Target& t) { return t.name == name; });
  };
  const auto in = [&](const ExprPtr& e) { return e && reads(*e, name); };
  return in(s.expr) || in(s.trips) || in(s.again) || in(s.require.that) ||
         std::any_of(s.require.holes.begin(), s.require.holes.end(), in) || state(s.state) || reads(s.body, name) ||
         reads(s.otherwise, name);
}
bool reads(const std::vector<CheckedStatement>& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&](const CheckedStatement& s) { return reads(s, name); });
}

/// What a result of the recipe is called and how it leaves: op.set_output, or `return`.
struct Sink {
  bool function = false;
  std::vector<CheckedInput> results;
  std::set<std::string> channels_last;  ///< outputs that follow the layout attribute
  const CheckedInput* find(const std::string& name) const {
    for (const CheckedInput& r : results)
      if (r.name == name) return &r;
    return nullptr;
  }
};

class RecipeRenderer {
 public:
  RecipeRenderer(CppExpressions& expressions, Lines& lines, const Sink& sink)
      : x_(expressions), out_(lines), sink_(sink) {}

  /// An operator or a function: what holds for all its variants, then these.
  template <typename Recipe>
  void recipe(const Recipe& checked) {
    bindings(checked.let);
    for (const CheckedRequire& r : checked.require) require(r);
    if constexpr (requires { checked.lod; }) {
      for (const CheckedLod& l : checked.lod) lod(l);
    }
    variants(checked.variants);
  }

 private:
  void bindings(const std::vector<CheckedBinding>& list) {
    for (const CheckedBinding& b : list) {
      if (!b.read) continue;
      out_.add("const " + cpp_type(b.type) + " " + id(b.name) + " = " + x_.render_as(*b.value, b.type) + ";");
    }
  }

  void lod(const CheckedLod& l) {
    const std::string value = x_.render_as(*l.value, list_of(Base::tensor));
    out_.add((l.output.type.list ? "set_all_lengths(op, " : "op.set_lod(") + literal(l.output.name) + ", " + value + ");");
  }

  void require(const CheckedRequire& r) {
    std::string message = literal(r.pieces[0]);
    if (!r.holes.empty()) {
      message = "std::string(" + message + ")";
      for (size_t i = 0; i < r.holes.size(); ++i)
        message += " + show(" + x_.render(*r.holes[i]) + ")" +
                   (r.pieces[i + 1].empty() ? "" : " + " + literal(r.pieces[i + 1]));
    }
    const Expr& that = *r.that;
    std::string negated = "!(" + x_.render(that) + ")";
    if (that.kind == K::unary && that.text == "not") negated = x_.render(*that.args[0]);
    else if (that.kind == K::call || that.kind == K::name) negated = "!" + x_.render(that);
    out_.add("if (" + negated + ") op.refuse(" + literal(r.code) + ", " + message + ");");
  }

  void variants(const std::vector<CheckedVariant>& list) {
    std::vector<OpsetRange> always;
    for (const CheckedVariant& v : list) {
      std::string condition;
      // With a single variant the lowest opset is refused by the nodes themselves unless it is a matter of the whole
      // recipe. Opsets that an earlier variant always takes need no question.
      const auto taken = [&](int from, int to) {
        for (int opset = from; opset <= to; ++opset)
          if (std::none_of(always.begin(), always.end(),
                           [&](const OpsetRange& r) { return r.first <= opset && opset <= r.last; }))
            return false;
        return true;
      };
      if (!taken(7, v.range.first - 1)) condition = "op.opset() >= " + std::to_string(v.range.first);
      if (!taken(v.range.last + 1, 28))
        condition += std::string(condition.empty() ? "" : " && ") + "op.opset() <= " + std::to_string(v.range.last);
      if (v.when) {
        std::string when = x_.render(*v.when);
        if (!condition.empty() && v.when->kind == K::binary && v.when->text == "or") when = "(" + when + ")";
        condition += std::string(condition.empty() ? "" : " && ") + when;
      }
      if (!v.when) always.push_back(v.range);
      if (v.spec != nullptr && !v.spec->doc.text.empty()) out_.add("// " + v.spec->doc.text);
      if (condition.empty()) {
        variant(v);
        return;
      }
      if (list.size() == 1 && !v.when && v.range.last == 28) {
        out_.add("if (op.opset() < " + std::to_string(v.range.first) + ") op.refuse_opset(" +
                 std::to_string(v.range.first) + ", " + literal("this operator") + ");");
        variant(v);
        return;
      }
      out_.open("if (" + condition + ") {");
      variant(v);
      if (!sink_.function) out_.add("return;");
      out_.close();
    }
    out_.add("op.refuse(\"E_NO_VARIANT\", \"no form for these attributes, shapes and types\");");
  }

  void variant(const CheckedVariant& v) {
    current_ = &v;
    direct_.clear();
    predeclared_.clear();
    bindings(v.let);
    for (const CheckedRequire& r : v.require) require(r);
    // A result that one statement at the top assigns and nobody reads leaves at once.
    for (const CheckedInput& r : sink_.results) {
      const bool at_top = std::any_of(v.nodes.begin(), v.nodes.end(), [&](const CheckedStatement& s) {
        return s.kind == Kind::assign &&
               std::any_of(s.targets.begin(), s.targets.end(), [&](const Target& t) { return t.name == r.name; });
      });
      bool read = reads(v.nodes, r.name);
      if (sink_.function) {
        // `return` must be the last statement and give the only result.
        const bool last = !v.nodes.empty() && v.nodes.back().kind == Kind::assign &&
                          v.nodes.back().targets.size() == 1 && v.nodes.back().targets[0].name == r.name;
        if (last && sink_.results.size() == 1 && v.assigned_once.count(r.name) > 0) {
          direct_.insert(r.name);
          continue;
        }
      } else if (at_top && !read && v.assigned_once.count(r.name) > 0) {
        direct_.insert(r.name);
        continue;
      }
      out_.add(cpp_type(r.type) + " " + id(r.name) + "{};");
    }
    statements(v.nodes);
    if (sink_.function) {
      if (direct_.empty()) {
        std::string list;
        for (const CheckedInput& r : sink_.results) list += (list.empty() ? "" : ", ") + id(r.name);
        out_.add(sink_.results.size() == 1 ? "return " + list + ";" : "return {" + list + "};");
      }
      return;
    }
    for (const CheckedInput& r : sink_.results) {
      if (direct_.count(r.name) > 0) continue;
      leave(r, id(r.name), !v.assigned_once.count(r.name));
    }
  }

  /// The output leaves the converter.
  void leave(const CheckedInput& r, const std::string& value, bool maybe_absent) {
    if (r.type.list) {
      out_.add("op.set_outputs(" + literal(r.name) + ", " + value + ");");
      return;
    }
    const bool layout = sink_.channels_last.count(r.name) > 0;
    const std::string set = "op.set_output(" + literal(r.name) + ", " +
                            (layout ? "from_channels_first(op, " + value + ", channels_last)" : value) + ");";
    out_.add((maybe_absent ? "if (" + value + ") " : "") + set);
  }

  void statements(const std::vector<CheckedStatement>& list) {
    for (const CheckedStatement& s : list) statement(s);
  }

  /// Statements in braces of their own.
  void block(const std::vector<CheckedStatement>& list) {
    const std::set<std::string> outside = predeclared_;
    statements(list);
    predeclared_ = outside;
  }

  std::string declaration(const CheckedStatement& s, size_t i) {
    if (!s.declares[i]) return "";
    const bool once = current_->assigned_once.count(s.targets[i].name) > 0;
    return std::string(once ? "const " : "") + cpp_type(s.types[i]) + " ";
  }

  void store(const CheckedStatement& s, size_t i, const std::string& value) {
    const std::string& name = s.targets[i].name;
    if (name == "_") return;
    if (direct_.count(name) > 0) {
      if (sink_.function) out_.add("return " + value + ";");
      else leave(*sink_.find(name), value, false);
      return;
    }
    const bool predeclared = predeclared_.count(name) > 0;
    const std::string declare = predeclared ? "" : declaration(s, i);
    out_.add(declare + id(name) + " = " + value + ";");
  }

  void statement(const CheckedStatement& s) {
    switch (s.kind) {
      case Kind::assign: {
        if (!s.expr) return;
        if (s.targets.size() == 1) {
          Type want = s.types[0];
          if (sink_.function) {
            if (const CheckedInput* r = sink_.find(s.targets[0].name)) want = r->type;
          } else if (sink_.find(s.targets[0].name) != nullptr && direct_.count(s.targets[0].name) > 0 && !want.list &&
                     sink_.channels_last.count(s.targets[0].name) == 0) {
            want = one(Base::operand);  // set_output takes numbers as well
          }
          if (s.expr->type.base == Base::omitted) want = {Base::tensor, false, true, false};
          store(s, 0, x_.render_as(*s.expr, want));
          return;
        }
        const bool tuple = x_.is_function(*s.expr);
        const std::string results = "results" + (++temporaries_ > 1 ? std::to_string(temporaries_) : "");
        out_.add("const " + std::string(tuple ? "auto" : "Values") + " " + results + " = " +
                 x_.render_results(*s.expr, s.targets.size()) + ";");
        for (size_t i = 0; i < s.targets.size(); ++i)
          store(
              s, i,
              tuple ? "std::get<" + std::to_string(i) + ">(" + results + ")" : results + "[" + std::to_string(i) + "]");
        return;
      }
      case Kind::require: require(s.require); return;
      case Kind::if_: {
        for (const Variable& v : s.before)  // an `if` around this one may have declared it
          if (predeclared_.insert(v.name).second) out_.add(cpp_type(v.type) + " " + id(v.name) + "{};");
        out_.open("if (" + x_.render(*s.expr) + ") {");
        block(s.body);
        if (!s.otherwise.empty()) {
          out_.between("} else {");
          block(s.otherwise);
        }
        out_.close();
        return;
      }
      case Kind::for_: {
        std::vector<std::string> vars;
        for (const Target& t : s.targets) vars.push_back(t.name);
        std::string prologue;
        out_.open(x_.for_head(vars, *s.expr, &prologue) + " {");
        if (!prologue.empty()) out_.add(prologue.substr(0, prologue.size() - 1));
        block(s.body);
        out_.close();
        return;
      }
      case Kind::loop: {
        std::string initial, final_state, collected;
        for (const Target& t : s.state)
          initial += (initial.empty() ? "" : ", ") + std::string("op.tensor(") + id(t.name) + ")";
        for (const Target& t : s.state)
          final_state += (final_state.empty() ? "" : ", ") + std::string("op.tensor(") + id(t.name) + ")";
        for (const Target& t : s.collect) collected += (collected.empty() ? "" : ", ") + id(t.name);
        const std::string results = "loop" + (++temporaries_ > 1 ? std::to_string(temporaries_) : "");
        const std::string again = s.again ? x_.render_as(*s.again, one(Base::operand)) : "Operand()";
        const std::string turn = s.turn.empty() ? "" : " " + id(s.turn);
        out_.open("const Values " + results + " = op.loop(" +
                  (s.trips ? x_.render_as(*s.trips, one(Base::operand)) : "Operand()") + ", " + again + ", {" +
                  initial + "}, [&]([[maybe_unused]] Value" + turn +
                  ", [[maybe_unused]] const Values& state) -> LoopTurn {");
        for (size_t i = 0; i < s.state.size(); ++i)
          out_.add("[[maybe_unused]] Value " + id(s.state[i].name) + " = state[" + std::to_string(i) + "];");
        block(s.body);
        out_.add("return {" + again + ", {" + final_state + "}, {" + collected + "}};");
        out_.close("});");
        for (size_t i = 0; i < s.targets.size(); ++i) store(s, i, results + "[" + std::to_string(i) + "]");
        return;
      }
      case Kind::branch: {
        const std::string results = "branch" + (++temporaries_ > 1 ? std::to_string(temporaries_) : "");
        std::string gives;
        for (const Target& t : s.targets) gives += (gives.empty() ? "" : ", ") + id(t.name);
        const std::set<std::string> outside = direct_;
        out_.open("const Values " + results + " = op.if_else(" + x_.render_as(*s.expr, one(Base::operand)) +
                  ", [&]() -> Values {");
        for (int side = 0; side < 2; ++side) {
          const std::set<std::string> around = predeclared_;
          for (const Target& t : s.targets) {
            direct_.erase(t.name);
            predeclared_.insert(t.name);
            out_.add("Value " + id(t.name) + "{};");
          }
          statements(side == 0 ? s.body : s.otherwise);
          predeclared_ = around;
          out_.add("return {" + gives + "};");
          if (side == 0) out_.between("}, [&]() -> Values {");
        }
        out_.close("});");
        direct_ = outside;
        for (size_t i = 0; i < s.targets.size(); ++i) store(s, i, results + "[" + std::to_string(i) + "]");
        return;
      }
    }
  }

  CppExpressions& x_;
  Lines& out_;
  const Sink& sink_;
  const CheckedVariant* current_ = nullptr;
  std::set<std::string> direct_;       ///< results that leave where they are assigned
  std::set<std::string> predeclared_;  ///< declared in front of an `if`
  int temporaries_ = 0;
};

std::string json_list(const nlohmann::json& value, bool floating) {
  std::string out;
  if (value.is_array())
    for (const auto& v : value)
      out += (out.empty() ? "" : ", ") + (floating         ? std::to_string(v.get<double>())
                                          : v.is_boolean() ? std::to_string(v.get<bool>() ? 1 : 0)
                                                           : v.dump());
  return out;
}

std::string float_text(const nlohmann::json& value) {
  if (!value.is_number()) return "0.0";
  Expr e;
  e.kind = K::floating;
  e.floating_value = value.get<double>();
  static const OnnxModel no_model;
  static const std::set<std::string> no_functions;
  return CppExpressions(no_model, no_functions).render(e);
}

std::string attr_reader(const CheckedAttr& a) {
  const nlohmann::json& d = a.fact.fallback;
  const std::string name = "(" + literal(a.fact.name) + ", ";
  if (a.type.list) {
    switch (a.type.base) {
      case Base::integer: return "op.attr_ints" + name + "{" + json_list(d, false) + "})";
      case Base::floating: return "op.attr_floats" + name + "{" + json_list(d, true) + "})";
      default: return "op.attr_strings" + name + "{})";
    }
  }
  switch (a.type.base) {
    case Base::boolean:
      return "op.attr_bool" + name +
             ((d.is_boolean() && d.get<bool>()) || (d.is_number() && d.get<double>() != 0) ? "true" : "false") + ")";
    case Base::integer:
      return "op.attr_int" + name +
             (d.is_number_integer() ? d.dump()
              : d.is_boolean()      ? (d.get<bool>() ? "1" : "0")
                                    : "0") +
             ")";
    case Base::floating: return "op.attr_float" + name + float_text(d) + ")";
    case Base::string: return "op.attr_string" + name + literal(d.is_string() ? d.get<std::string>() : "") + ")";
    case Base::dtype:
      return "op.attr_dtype" + name + "dtype_from_paddle(" + (d.is_number_integer() ? d.dump() : "-1") + "))";
    default: return "0";
  }
}

/// In Paddle's kernel, not by rule: opspecs/facts/params.json has the order that was measured.
bool tensor_first(const ParamFact& p) {
  const auto tensor = std::find(p.order.begin(), p.order.end(), "tensor");
  const auto list = std::find(p.order.begin(), p.order.end(), "list");
  return tensor != p.order.end() && list != p.order.end() && tensor < list;
}

std::string param_reader(const CheckedParam& p) {
  const std::string source = "({" + literal(p.sources.list_slot) + ", " + literal(p.sources.tensor_slot) + ", " +
                             literal(p.name) + (tensor_first(p.sources) ? ", true" : "") + "}, ";
  const nlohmann::json& d = p.fact.fallback;
  if (p.type.list) {
    const bool floating = p.type.base == Base::scalar;
    return std::string(floating ? "op.param_floats" : "op.param_ints") + source + "{" + json_list(d, floating) + "})";
  }
  if (p.type.base == Base::scalar) return "op.param_float" + source + float_text(d) + ")";
  return "op.param_int" + source + (d.is_number_integer() ? d.dump() : "0") + ")";
}

}  // namespace

std::string render_converter(const CheckedOp& op, CppExpressions& expressions) {
  Lines lines(1);
  expressions.params.clear();
  for (const CheckedParam& p : op.params) expressions.params[p.name] = p.sources;
  Sink sink;
  sink.results = op.outputs;
  std::set<std::string> layout_inputs;
  for (const Text& t : op.spec->layout_names)
    (op.fact.input(t.text) != nullptr && op.fact.output(t.text) == nullptr ? layout_inputs : sink.channels_last)
        .insert(t.text);

  for (const std::string& slot : op.refused_inputs)
    lines.add("if (op.has(" + literal(slot) + ")) op.refuse(\"E_INPUT\", \"input '" + slot + "' is not supported\");");
  for (const AttrFact& a : op.refused_fusions) {
    const std::string set = a.type == "bool" ? "op.attr_bool(" + literal(a.name) + ", false)"
                                             : "!op.attr_string(" + literal(a.name) + ", \"\").empty()";
    lines.add("if (" + set + ") op.refuse(\"E_FUSED\", \"'" + a.name +
              "' is set by Paddle's inference passes; export the model without them\");");
  }
  const std::string unused = "[[maybe_unused]] const ";
  if (!op.spec->layout.text.empty()) {
    std::string fallback = "NCHW";
    if (const AttrFact* a = op.fact.attr(op.spec->layout.text); a != nullptr && a->fallback.is_string())
      fallback = a->fallback.get<std::string>();
    lines.add(unused + "bool channels_last = is_channels_last(op.attr_string(" + literal(op.spec->layout.text) + ", " +
              literal(fallback) + "));");
  }
  for (const CheckedInput& i : op.inputs) {
    const std::string read = std::string(i.type.list ? "op.inputs(" : "op.input(") + literal(i.name) + ")";
    lines.add(unused + (i.type.list ? "Values " : "Value ") + id(i.name) + " = " +
              (layout_inputs.count(i.name) > 0 ? "to_channels_first(op, " + read + ", channels_last)" : read) + ";");
  }
  for (const CheckedAttr& a : op.attrs)
    lines.add(unused + cpp_type(a.type) + " " + id(a.fact.name) + " = " + attr_reader(a) + ";");
  for (const CheckedParam& p : op.params)
    lines.add(unused + cpp_type(p.type) + " " + id(p.name) + " = " + param_reader(p) + ";");
  RecipeRenderer(expressions, lines, sink).recipe(op);
  return lines.text();
}

std::string function_signature(const CheckedFunction& f) {
  std::string result;
  for (const Parameter& r : f.head.results) result += (result.empty() ? "" : ", ") + cpp_type(r.type);
  if (f.head.results.size() > 1) result = "std::tuple<" + result + ">";
  std::string text = result + " " + f.head.name + "([[maybe_unused]] OpContext& op";
  for (const Parameter& p : f.head.parameters) {
    const std::string type = cpp_type(p.type);
    const bool small =
        !p.type.list && (p.type.base == Base::boolean || p.type.base == Base::integer ||
                         p.type.base == Base::floating || p.type.base == Base::dtype || p.type.base == Base::tensor);
    text += ", [[maybe_unused]] " + (small ? type : "const " + type + "&") + " " + id(p.name);
  }
  return text + ")";
}

std::string render_function_body(const CheckedFunction& f, CppExpressions& expressions) {
  Lines lines(1);
  expressions.params.clear();
  Sink sink;
  sink.function = true;
  for (const Parameter& r : f.head.results) sink.results.push_back({r.name, r.type});
  RecipeRenderer(expressions, lines, sink).recipe(f);
  return lines.text();
}

}  // namespace opgen

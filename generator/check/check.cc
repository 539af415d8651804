// Ties specs to facts: signatures, attribute accounting, functions before their callers, duplicate names.
#include <algorithm>
#include <functional>
#include <tuple>

#include "generator/check/builtins.h"
#include "generator/check/calls.h"
#include "generator/check/derive.h"
#include "generator/check/fluid_call.h"
#include "generator/check/onnx_fact.h"
#include "generator/check/program.h"
#include "generator/check/recipes.h"
#include "generator/expr/habits.h"

namespace opgen {
namespace {

Type param_type(const std::string& kind) {
  if (kind == "int_array") return list_of(Base::dim);
  if (kind == "int") return one(Base::dim);
  if (kind == "float_array") return list_of(Base::scalar);
  if (kind == "float") return one(Base::scalar);
  return {};
}

/// The other way round: what an attribute would be as a parameter; empty if it cannot be one.
std::string param_kind(const Type& type) {
  for (const char* kind : {"int_array", "int", "float_array", "float"})
    if (const Type t = param_type(kind); t.list == type.list && converts(type, t)) return kind;
  return "";
}

class Checker {
 public:
  Checker(const SpecSet& specs, const Facts& facts, const OnnxModel& onnx, Diagnostics& diagnostics)
      : specs_(specs),
        facts_(facts),
        onnx_(onnx),
        diagnostics_(diagnostics),
        expressions_(onnx, facts, by_name_, program_.groups, diagnostics) {}

  CheckedProgram run() {
    functions();
    // Of two specs for one operator, which reading has complained about, the first counts.
    for (size_t i = 0; i < specs_.ops.size(); ++i)
      if (i == 0 || specs_.ops[i].op.text != specs_.ops[i - 1].op.text) op(specs_.ops[i], program_.ops);
    for (size_t i = 0; i < specs_.onnx.size(); ++i)
      if (i == 0 || specs_.onnx[i].op.text != specs_.onnx[i - 1].op.text) op(specs_.onnx[i], program_.onnx);
    derive();
    unused();
    // Beside mistakes, too little is known of what holds.
    if (!diagnostics_.has_errors()) expressions_.report_decided();
    program_.called = std::move(expressions_.called);
    return std::move(program_);
  }

 private:
  // -- names that are listed but never read ------------------------------------------------------------------
  /// The rows of a table share one: what a single row leaves alone may be meant for the others.
  struct Use {
    Span span;
    std::string what;
    std::string help;
    bool read = false;
    bool sound = true;  ///< nothing was wrong around it
  };

  Use* use(const Span& span, const std::string& what, const std::string& help) {
    Use& u = uses_[{span.file ? span.file->path : "", span.line, span.column}];
    u.span = span;
    u.what = what;
    u.help = help;
    recent_.push_back(&u);
    return &u;
  }
  void uses_are_sound(bool sound) {
    for (Use* u : recent_) u->sound = u->sound && sound;
    recent_.clear();
  }
  void unused() {
    for (const auto& [place, u] : uses_)
      if (u.sound && !u.read) diagnostics_.error("unused-name", u.span, u.what + " is never used", u.help);
  }
  void unread(const std::vector<CheckedBinding>& list, const std::vector<Binding>& spec) {
    for (size_t i = 0; i < list.size() && i < spec.size(); ++i)
      if (list[i].read) use(spec[i].name.span, "", "")->read = true;
      else use(spec[i].name.span, "'" + list[i].name + "'", "remove it");
  }
  void unread(const std::vector<CheckedVariant>& list) {
    for (const CheckedVariant& v : list)
      if (v.spec != nullptr) unread(v.let, v.spec->let);
  }

  // -- functions: parsed all at once, checked callees first --------------------------------------------------
  void functions() {
    program_.functions.reserve(specs_.functions.size());
    for (const Function& f : specs_.functions) {
      CheckedFunction c;
      c.spec = &f;
      if (!parse_head(f.head, diagnostics_, &c.head)) {
        expressions_.broken.insert(f.head.text.substr(0, f.head.text.find('(')));
        continue;
      }
      if (find_builtin(c.head.name) != nullptr || is_onnx_name(c.head.name))
        diagnostics_.error("duplicate-name", c.head.span, "'" + c.head.name + "' cannot be the name of a function",
                           "use a name in lower case that no built-in has");
      pending_.push_back(std::move(c));
    }
    requirement_heads();
    for (CheckedFunction& f : pending_) visit(f);
    for (CheckedRequirement& r : program_.requirements) visit(r);
  }

  void visit(CheckedFunction& f) {
    if (done_.count(f.head.name) > 0) return;
    if (!active_.insert(f.head.name).second) {
      diagnostics_.error("recursion", f.head.span,
                         "function '" + f.head.name + "' calls itself, directly or through others");
      expressions_.broken.insert(f.head.name);
      return;
    }
    for (const std::string& name : calls_of(*f.spec)) visit_called(name);
    if (done_.insert(f.head.name).second) check_function(f);
    active_.erase(f.head.name);
  }

  void visit_called(const std::string& name) {
    for (CheckedFunction& other : pending_)
      if (other.head.name == name) visit(other);
    for (CheckedRequirement& other : program_.requirements)
      if (other.head.name == name) visit(other);
  }

  void requirement_heads() {
    for (const Requirement& r : specs_.requirements) {
      CheckedRequirement c;
      c.spec = &r;
      if (!parse_head(r.head, diagnostics_, &c.head, false)) {
        expressions_.broken.insert(r.head.text.substr(0, r.head.text.find('(')));
        continue;
      }
      const bool taken = std::any_of(pending_.begin(), pending_.end(),
                                     [&](const CheckedFunction& f) { return f.head.name == c.head.name; });
      if (taken || find_builtin(c.head.name) != nullptr || is_onnx_name(c.head.name))
        diagnostics_.error("duplicate-name", c.head.span, "'" + c.head.name + "' cannot be the name of a requirement",
                           "use a name in lower case that no function has");
      program_.requirements.push_back(std::move(c));
    }
    for (const CheckedRequirement& r : program_.requirements) expressions_.requirements[r.head.name] = &r;
  }

  void visit(CheckedRequirement& r) {
    if (!done_requirements_.insert(&r).second) return;
    for (const std::string& name : calls_of(*r.spec)) visit_called(name);
    if (!r.spec->body.that.text.empty()) check_requirement(r);
  }

  /// Its parameters stand for what recipes give, operands by their names.
  void check_requirement(CheckedRequirement& r) {
    const size_t breaking = diagnostics_.breaking_count();
    RecipeChecker recipes(expressions_, no_row_, diagnostics_);
    begin("");
    Scope scope;
    for (Parameter& p : r.head.parameters) {
      const bool operand = p.type.base == Base::tensor;
      scope.define(p.name, {operand ? Name::Kind::input : Name::Kind::parameter, p.type,
                            &use(p.span, "parameter '" + p.name + "'", "remove it here and from the calls")->read});
    }
    scope.define("operator", {Name::Kind::parameter, one(Base::string), nullptr});
    OpsetRange range;
    r.body = recipes.require(r.spec->body, scope, range);
    refuse_releases();
    uses_are_sound(diagnostics_.breaking_count() == breaking);
  }

  /// What the last operator or function has left behind is forgotten. `op`: the operator, "" in the library.
  void begin(const std::string& op) {
    expressions_.limit = no_limit();
    expressions_.says_fluid = false;
    expressions_.asked.clear();
    expressions_.operator_name = op;
  }

  void refuse_releases() {
    for (const auto& [release, place] : expressions_.asked)
      diagnostics_.error("release-in-function", place,
                         "functions cannot query the release, because each release changed only some operators",
                         "pass a bool to the function, and write since(" + release + ") in the recipe of the operator");
  }

  void check_function(CheckedFunction& f) {
    const size_t errors = diagnostics_.error_count(), breaking = diagnostics_.breaking_count();
    RecipeChecker recipes(expressions_, no_row_, diagnostics_);
    begin("");
    Scope scope;
    for (Parameter& p : f.head.parameters) {
      if (p.default_value) {
        OpsetRange ignored;
        Scope empty;
        expressions_.check_as(*p.default_value, p.type, empty, ignored, "default of '" + p.name + "'");
      }
      scope.define(p.name, {Name::Kind::parameter, p.type,
                            &use(p.span, "parameter '" + p.name + "'", "remove it here and from the calls")->read});
    }
    std::vector<CheckedInput> results;
    for (const Parameter& r : f.head.results) results.push_back({r.name, r.type});
    OpsetRange outer;
    recipes.bindings(f.spec->let, scope, outer, f.let);
    f.require = recipes.requires_(f.spec->require, scope, outer);
    if (!f.spec->is.text.empty()) {
      f.variants.emplace_back();
      CheckedVariant& v = f.variants.back();
      v.range = outer;
      CheckedStatement s;
      s.expr = parse_expression(f.spec->is, no_row_, diagnostics_);
      if (s.expr && !results.empty()) {
        expressions_.check_as(*s.expr, results[0].type, scope, v.range, "the result");
        s.targets.push_back({results[0].name, f.head.span});
        s.types.push_back(results[0].type);
        s.declares.push_back(false);
        v.assigned_once.insert(results[0].name);
        v.nodes.push_back(std::move(s));
      }
      f.range = v.range;
    } else {
      recipes.variants(f.spec->variants, scope, outer, results, f.variants, f.range);
    }
    refuse_releases();
    f.ok = diagnostics_.error_count() == errors;
    f.says_fluid = expressions_.says_fluid;
    unread(f.let, f.spec->let);
    unread(f.variants);
    uses_are_sound(diagnostics_.breaking_count() == breaking);
    by_name_[f.head.name] = nullptr;
    program_.functions.push_back(std::move(f));
    f = {};
    f.head.name = program_.functions.back().head.name;  // still wanted by visit()
    for (const CheckedFunction& c : program_.functions) by_name_[c.head.name] = &c;
  }

  // -- operators ---------------------------------------------------------------------------------------------
  /// Relations that are declared in one direction and hold in both.
  void derive() {
    std::set<std::string> written;
    for (const OpSpec& spec : specs_.onnx) written.insert(spec.op.text);
    program_.derived = derive_onnx(program_, facts_, onnx_, written);
    for (const OpSpec& spec : program_.derived) op(spec, program_.onnx);
    std::sort(program_.onnx.begin(), program_.onnx.end(),
              [](const CheckedOp& a, const CheckedOp& b) { return a.spec->op.text < b.spec->op.text; });
  }
  std::optional<OpFact> onnx_fact_of(const OpSpec& spec) {
    if (const OnnxGroup* group = find_onnx_group(onnx_, spec.op.text)) return onnx_fact(*group);
    diagnostics_.error("unknown-operator", spec.span,
                       "ONNX has no operator '" + spec.op.text + "'" + did_you_mean(spec.op.text, onnx_.names()));
    return std::nullopt;
  }

  void op(const OpSpec& spec, std::vector<CheckedOp>& into) {
    const size_t errors = diagnostics_.error_count(), breaking = diagnostics_.breaking_count();
    const std::optional<OpFact> fact = spec.onnx ? onnx_fact_of(spec) : fact_of(spec, facts_, diagnostics_);
    if (!fact) return;
    into.emplace_back();
    CheckedOp& c = into.back();
    c.spec = &spec;
    begin(spec.op.text);
    c.fact = *fact;
    Scope scope;
    signature(spec, c, scope);
    if (spec.native.text.empty()) {
      RecipeChecker recipes(expressions_, spec.row, diagnostics_);
      OpsetRange outer;
      recipes.bindings(spec.let, scope, outer, c.let);
      c.require = recipes.requires_(spec.require, scope, outer);
      for (const Binding& b : spec.lod) lod(b, spec, c, scope, outer);
      recipes.variants(spec.variants, scope, outer, c.outputs, c.variants, c.range);
      if (expressions_.says_fluid && !spec.onnx)
        diagnostics_.error("wrong-target", expressions_.fluid_at,
                           "the recipe of a Paddle operator calls Paddle operators",
                           "write ONNX operators; 'fluid.' is only for specs with 'onnx:'");
      account_for_releases(spec, c.fact, diagnostics_.error_count() == errors);
    }
    c.ok = diagnostics_.error_count() == errors;
    unread(c.let, spec.let);
    unread(c.variants);
    uses_are_sound(diagnostics_.breaking_count() == breaking);
  }

  void lod(const Binding& binding, const OpSpec& spec, CheckedOp& c, Scope& scope, OpsetRange& range) {
    const CheckedInput* output = c.output(binding.name.text);
    if (output == nullptr) return unknown_slot(binding.name, c.fact.outputs, "output", spec.op.text);
    CheckedLod out{*output, parse_expression(binding.value, spec.row, diagnostics_)};
    if (!out.value) return;
    expressions_.check_as(*out.value, list_of(Base::tensor), scope, range, "the lengths of sequences");
    c.lod.push_back(std::move(out));
  }

  /// What a spec lists, and what becomes of it.
  struct Listed {
    const OpSpec& spec;
    CheckedOp& c;
    Scope& scope;
    std::set<std::string> spoken = {};  ///< slots and attributes that the spec speaks of
    std::set<std::string> meant = {};   ///< attributes that are misspelt where they are listed
    // After a misspelt slot, to say that the right one is missing would say it twice.
    bool all_inputs_known = true, all_outputs_known = true;
    bool native() const { return !spec.native.text.empty(); }
  };

  void signature(const OpSpec& spec, CheckedOp& c, Scope& scope) {
    Listed l{spec, c, scope};
    inputs(l);
    outputs(l);
    attributes(l);
    parameters(l);
    layout(l);
    ignored(l);
    spare_consequences(l);
    if (l.native()) return;
    account_for_attributes(l);
    account_for_slots(l);
    account_for_tensors(l);
  }

  /// Notes whether a recipe reads what is listed.
  bool* reader(const Listed& l, const Text& t, const char* kind) {
    if (l.native()) return nullptr;
    return &use(t.span, kind + (" '" + t.text + "'"),
                "use it, or remove it here and say 'ignore: {" + t.text + ": why it does not matter}'")
                ->read;
  }

  void inputs(Listed& l) {
    for (const Text& t : l.spec.inputs) {
      const SlotFact* s = l.c.fact.input(t.text);
      if (s == nullptr) {
        unknown_slot(t, l.c.fact.inputs, "input", l.spec.op.text);
        l.scope.define(t.text, {Name::Kind::input, Type{}, nullptr});
        l.all_inputs_known = false;
        continue;
      }
      const Type type{Base::tensor, s->list, s->optional && !s->list, false};
      l.c.inputs.push_back({t.text, type});
      l.scope.define(t.text, {Name::Kind::input, type, reader(l, t, "input")});
      l.spoken.insert(t.text);
    }
  }

  void outputs(Listed& l) {
    for (const Text& t : l.spec.outputs) {
      const SlotFact* s = l.c.fact.output(t.text);
      if (s == nullptr) {
        unknown_slot(t, l.c.fact.outputs, "output", l.spec.op.text);
        l.all_outputs_known = false;
        continue;
      }
      const Type type{Base::tensor, s->list, false, false};
      l.c.outputs.push_back({t.text, type});
      l.scope.define(t.text, {Name::Kind::output, type, nullptr, false});
    }
  }

  void attributes(Listed& l) {
    for (const Text& t : l.spec.attrs) {
      const AttrFact* a = l.c.fact.attr(t.text);
      if (a == nullptr) {
        unknown_attr(t, l.c.fact, l.spec.op.text);
        l.meant.insert(closest_attr(t, l.c.fact));
        l.scope.define(t.text, {Name::Kind::attr, Type{}, nullptr});
        continue;
      }
      const Type type = attr_type(*a);
      if (is_unknown(type) && !l.native())
        diagnostics_.error("attribute-type", t.span,
                           "attribute '" + t.text + "' is a '" + a->type + "', which the language cannot use");
      l.c.attrs.push_back({*a, type});
      l.scope.define(t.text, {Name::Kind::attr, type, reader(l, t, "attribute")});
      l.spoken.insert(t.text);
    }
  }

  void parameters(Listed& l) {
    for (const Param& p : l.spec.params) {
      const AttrFact* a = l.c.fact.attr(p.name.text);
      const auto sources = l.c.fact.params.find(p.name.text);
      if (l.scope.find_here(p.name.text) != nullptr) {
        diagnostics_.error("duplicate-name", p.name.span, "'" + p.name.text + "' is listed under 'attrs' already",
                           "remove it there");
        continue;
      }
      if (a == nullptr && sources == l.c.fact.params.end()) {
        unknown_attr(p.name, l.c.fact, l.spec.op.text);
        l.meant.insert(closest_attr(p.name, l.c.fact));
        l.scope.define(p.name.text, {Name::Kind::param, Type{}, nullptr});
        continue;
      }
      CheckedParam out;
      out.name = p.name.text;
      out.type = param_type(p.kind.text);
      if (a != nullptr) out.fact = *a;
      if (sources != l.c.fact.params.end()) out.sources = sources->second;
      l.spoken.insert({p.name.text, out.sources.tensor_slot, out.sources.list_slot});
      l.scope.define(out.name, {Name::Kind::param, out.type, reader(l, p.name, "parameter")});
      l.c.params.push_back(std::move(out));
    }
  }

  void layout(Listed& l) {
    if (!l.spec.layout.text.empty()) {
      l.spoken.insert(l.spec.layout.text);
      if (l.c.fact.attr(l.spec.layout.text) == nullptr) unknown_attr(l.spec.layout, l.c.fact, l.spec.op.text);
      for (const Text& t : l.spec.layout_names)
        if (l.c.fact.input(t.text) == nullptr && l.c.fact.output(t.text) == nullptr)
          unknown_slot(t, l.c.fact.inputs, "input or output", l.spec.op.text);
    }
    for (const Text& t : l.spec.complex)
      if (l.c.fact.input(t.text) == nullptr) unknown_slot(t, l.c.fact.inputs, "input", l.spec.op.text);
  }

  void ignored(Listed& l) {
    for (const Binding& i : l.spec.ignore) {
      // A row of a table may ignore what only other rows have.
      if (l.spec.row.empty() && l.c.fact.attr(i.name.text) == nullptr && l.c.fact.input(i.name.text) == nullptr &&
          l.c.fact.output(i.name.text) == nullptr)
        unknown_attr(i.name, l.c.fact, l.spec.op.text);
      if (!l.spoken.insert(i.name.text).second)
        diagnostics_.error("ignored-and-used", i.name.span, "'" + i.name.text + "' is used and ignored");
    }
  }

  /// The attribute that was meant is accounted for. After a misspelt slot or attribute the right name is not unknown.
  void spare_consequences(Listed& l) {
    l.spoken.insert(l.meant.begin(), l.meant.end());
    for (const std::string& name : l.meant)
      if (l.scope.find_here(name) == nullptr) l.scope.define(name, {Name::Kind::attr, Type{}, nullptr});
    for (const SlotFact& s : l.c.fact.inputs)
      if (!l.all_inputs_known && l.scope.find_here(s.name) == nullptr)
        l.scope.define(s.name, {Name::Kind::input, Type{}, nullptr});
    for (const SlotFact& s : l.c.fact.outputs)
      if (!l.all_outputs_known && l.scope.find_here(s.name) == nullptr)
        l.scope.define(s.name, {Name::Kind::output, Type{}, nullptr, false});
  }

  void account_for_attributes(Listed& l) {
    for (const AttrFact& a : l.c.fact.attrs) {
      if (a.extra || l.spoken.count(a.name) > 0) continue;
      if (std::find(facts_.ignored_attrs.begin(), facts_.ignored_attrs.end(), a.name) != facts_.ignored_attrs.end())
        continue;
      if (a.name.rfind("fuse_", 0) == 0 && (a.type == "bool" || a.type == "string")) {
        l.c.refused_fusions.push_back(a);
        continue;
      }
      diagnostics_.error("unaccounted-attribute", l.spec.op.span,
                         "attribute '" + a.name + "' (" + a.type + ") of '" + l.spec.op.text + "' is not accounted for",
                         "use it (attrs or params), or write 'ignore: {" + a.name + ": why it does not matter}'");
    }
  }

  void account_for_slots(Listed& l) {
    for (const SlotFact& s : l.c.fact.inputs) {
      if (l.spoken.count(s.name) > 0) continue;
      if (s.optional || s.extra) l.c.refused_inputs.push_back(s.name);
      else if (l.all_inputs_known)
        diagnostics_.error("unaccounted-input", l.spec.op.span,
                           "input '" + s.name + "' of '" + l.spec.op.text + "' is not accounted for",
                           "list it under 'inputs', or write 'ignore: {" + s.name + ": why it does not matter}'");
    }
    for (const SlotFact& s : l.c.fact.outputs)
      if (l.all_outputs_known && !s.extra && !s.optional && l.spoken.count(s.name) == 0 &&
          l.c.output(s.name) == nullptr)
        diagnostics_.error("unaccounted-output", l.spec.op.span,
                           "output '" + s.name + "' of '" + l.spec.op.text + "' is not accounted for",
                           "list it under 'outputs' and assign it, or write 'ignore: {" + s.name +
                               ": why no inference program reads it}'");
  }

  /// A recipe asks for the releases that changed its operator, and for no others.
  void account_for_releases(const OpSpec& spec, const OpFact& fact, bool sound) {
    if (spec.signature || !sound) return;
    for (const std::string& release : fact.changes)
      if (expressions_.asked.count(release) == 0)
        diagnostics_.error("unaccounted-release", spec.op.span,
                           "Paddle " + release + " made '" + spec.op.text + "' compute something else",
                           "ask since(" + release + ")");
    for (const auto& [release, place] : expressions_.asked)
      if (std::find(fact.changes.begin(), fact.changes.end(), release) == fact.changes.end())
        diagnostics_.error("needless-release", place,
                           "Paddle " + release + " did not change what '" + spec.op.text + "' computes",
                           "remove the test, or record the change as opspecs/facts/README.md describes");
  }

  /// Attributes that tensors may give, too.
  void account_for_tensors(Listed& l) {
    for (const CheckedAttr& a : l.c.attrs) {
      const auto sources = l.c.fact.params.find(a.fact.name);
      if (sources == l.c.fact.params.end()) continue;
      for (const std::string& slot : {sources->second.tensor_slot, sources->second.list_slot})
        if (!slot.empty() && l.c.fact.input(slot) != nullptr && l.spoken.count(slot) == 0)
          diagnostics_.error(
              "tensor-attribute", l.spec.op.span,
              "'" + a.fact.name + "' of '" + l.spec.op.text + "' may also be given as the tensor '" + slot + "'",
              (param_kind(a.type).empty()
                   ? "list the tensor under 'inputs' and choose with has(" + slot + ")"
                   : "write 'params: {" + a.fact.name + ": " + param_kind(a.type) + "}' instead of 'attrs'") +
                  ", or write 'ignore: {" + slot + ": why it is never given}'");
    }
  }

  static std::string closest_attr(const Text& t, const OpFact& fact) {
    std::vector<std::string> known;
    for (const AttrFact& a : fact.attrs)
      if (!a.extra) known.push_back(a.name);
    return closest(t.text, known);
  }
  void unknown_slot(const Text& t, const std::vector<SlotFact>& slots, const char* what, const std::string& op) {
    std::vector<std::string> known;
    std::string list;
    for (const SlotFact& s : slots) {
      known.push_back(s.name);
      list += (list.empty() ? "" : ", ") + s.name;
    }
    diagnostics_.error("unknown-slot", t.span,
                       "'" + op + "' has no " + what + " '" + t.text + "'" + did_you_mean(t.text, known),
                       "the " + std::string(what) + "s are " + list);
  }
  void unknown_attr(const Text& t, const OpFact& fact, const std::string& op) {
    const std::string habit = t.text == "v3" ? word_habit(t.text) : "";
    std::vector<std::string> known;
    std::string list;
    for (const AttrFact& a : fact.attrs) {
      if (a.extra) continue;
      known.push_back(a.name);
      list += (list.empty() ? "" : ", ") + a.name;
    }
    diagnostics_.error("unknown-attribute", t.span,
                       "'" + op + "' has no attribute '" + t.text + "'" + did_you_mean(t.text, known),
                       !habit.empty() ? "remove it; in the recipe " + habit
                       : list.empty() ? "the operator has no attributes"
                                      : "the attributes are " + list);
  }

  const SpecSet& specs_;
  const Facts& facts_;
  const OnnxModel& onnx_;
  Diagnostics& diagnostics_;
  CheckedProgram program_;
  std::vector<CheckedFunction> pending_;
  std::map<std::string, const CheckedFunction*> by_name_;
  std::set<std::string> done_, active_;
  std::set<const CheckedRequirement*> done_requirements_;
  const Row no_row_;
  std::map<std::tuple<std::string, int, int>, Use> uses_;
  std::vector<Use*> recent_;  ///< of the operator or function in hand
  ExpressionChecker expressions_;
};

}  // namespace

std::vector<std::string> required_inputs(const CheckedOp& op) {
  // A native converter looks for itself: a loop may carry nothing.
  if (!op.spec->native.text.empty()) return {};
  // Paddle marks no list as optional, but a list that replaces an attribute (SizeTensor) can be empty.
  std::vector<std::string> slots;
  for (const CheckedInput& i : op.inputs)
    if (i.type.list ? i.name == op.fact.inputs.front().name : !i.type.optional) slots.push_back(i.name);
  return slots;
}

CheckedProgram check(const SpecSet& specs, const Facts& facts, const OnnxModel& onnx, Diagnostics& diagnostics) {
  return Checker(specs, facts, onnx, diagnostics).run();
}

}  // namespace opgen

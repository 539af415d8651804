#include "generator/check/signatures.h"

#include <algorithm>

#include "generator/check/fluid_call.h"
#include "generator/diagnostics/text.h"
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

}  // namespace

void unknown_slot(const Text& t, const std::vector<SlotFact>& slots, const char* what, const std::string& op,
                  Diagnostics& diagnostics) {
  const std::vector<std::string> known = names_of(slots);
  diagnostics.error("unknown-slot", t.span,
                    "'" + op + "' has no " + what + " '" + t.text + "'" + did_you_mean(t.text, known),
                    "the " + std::string(what) + "s are " + joined(known));
}

/// The names under inputs, outputs, attrs, params and ignore, compared with the operator's facts.
struct SignatureChecker::Listed {
  const OpSpec& spec;
  CheckedOp& c;
  Scope& scope;
  std::set<std::string> spoken = {};  ///< slots and attributes that the spec speaks of
  std::set<std::string> meant = {};   ///< attributes that are misspelt where they are listed
  // After a misspelt slot, to say that the right one is missing would say it twice.
  bool all_inputs_known = true, all_outputs_known = true;
  bool native() const { return !spec.native.text.empty(); }
};

void SignatureChecker::check(const OpSpec& spec, CheckedOp& c, Scope& scope) {
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
bool* SignatureChecker::reader(const Listed& l, const Text& t, const char* kind) {
  if (l.native()) return nullptr;
  return uses_.note(t.span, kind + (" '" + t.text + "'"),
                    "use it, or remove it here and say 'ignore: {" + t.text + ": why it does not matter}'");
}

void SignatureChecker::inputs(Listed& l) {
  for (const Text& t : l.spec.inputs) {
    const SlotFact* s = l.c.fact.input(t.text);
    if (s == nullptr) {
      unknown_slot(t, l.c.fact.inputs, "input", l.spec.op.text, diagnostics_);
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

void SignatureChecker::outputs(Listed& l) {
  for (const Text& t : l.spec.outputs) {
    const SlotFact* s = l.c.fact.output(t.text);
    if (s == nullptr) {
      unknown_slot(t, l.c.fact.outputs, "output", l.spec.op.text, diagnostics_);
      l.all_outputs_known = false;
      continue;
    }
    const Type type{Base::tensor, s->list, false, false};
    l.c.outputs.push_back({t.text, type});
    l.scope.define(t.text, {Name::Kind::output, type, nullptr, false});
  }
}

void SignatureChecker::attributes(Listed& l) {
  for (const Text& t : l.spec.attrs) {
    const AttrFact* a = l.c.fact.attr(t.text);
    if (a == nullptr) {
      unknown_attr(t, l.c.fact, l.spec.op.text);
      l.meant.insert(closest(t.text, l.c.fact.attr_names()));
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

void SignatureChecker::parameters(Listed& l) {
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
      l.meant.insert(closest(p.name.text, l.c.fact.attr_names()));
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

void SignatureChecker::layout(Listed& l) {
  if (!l.spec.layout.text.empty()) {
    l.spoken.insert(l.spec.layout.text);
    if (l.c.fact.attr(l.spec.layout.text) == nullptr) unknown_attr(l.spec.layout, l.c.fact, l.spec.op.text);
    for (const Text& t : l.spec.layout_names)
      if (l.c.fact.input(t.text) == nullptr && l.c.fact.output(t.text) == nullptr)
        unknown_slot(t, l.c.fact.inputs, "input or output", l.spec.op.text, diagnostics_);
  }
  for (const Text& t : l.spec.complex)
    if (l.c.fact.input(t.text) == nullptr) unknown_slot(t, l.c.fact.inputs, "input", l.spec.op.text, diagnostics_);
}

void SignatureChecker::ignored(Listed& l) {
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
void SignatureChecker::spare_consequences(Listed& l) {
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

void SignatureChecker::account_for_attributes(Listed& l) {
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

void SignatureChecker::account_for_slots(Listed& l) {
  for (const SlotFact& s : l.c.fact.inputs) {
    if (l.spoken.count(s.name) > 0) continue;
    if (s.optional || s.extra) l.c.refused_inputs.push_back(s.name);
    else if (l.all_inputs_known)
      diagnostics_.error("unaccounted-input", l.spec.op.span,
                         "input '" + s.name + "' of '" + l.spec.op.text + "' is not accounted for",
                         "list it under 'inputs', or write 'ignore: {" + s.name + ": why it does not matter}'");
  }
  for (const SlotFact& s : l.c.fact.outputs)
    if (l.all_outputs_known && !s.extra && !s.optional && l.spoken.count(s.name) == 0 && l.c.output(s.name) == nullptr)
      diagnostics_.error("unaccounted-output", l.spec.op.span,
                         "output '" + s.name + "' of '" + l.spec.op.text + "' is not accounted for",
                         "list it under 'outputs' and assign it, or write 'ignore: {" + s.name +
                             ": why no inference program reads it}'");
}

/// Attributes that tensors may give, too.
void SignatureChecker::account_for_tensors(Listed& l) {
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

void SignatureChecker::unknown_attr(const Text& t, const OpFact& fact, const std::string& op) {
  const std::string habit = t.text == "v3" ? word_habit(t.text) : "";
  const std::vector<std::string> known = fact.attr_names();
  diagnostics_.error("unknown-attribute", t.span,
                     "'" + op + "' has no attribute '" + t.text + "'" + did_you_mean(t.text, known),
                     !habit.empty()  ? "remove it; in the recipe " + habit
                     : known.empty() ? "the operator has no attributes"
                                     : "the attributes are " + joined(known));
}

}  // namespace opgen

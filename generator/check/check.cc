// Ties specs to facts: signatures, attribute accounting, functions before their callers, duplicate names.
#include <algorithm>
#include <functional>

#include "generator/check/builtins.h"
#include "generator/check/calls.h"
#include "generator/check/derive.h"
#include "generator/check/fluid_call.h"
#include "generator/check/onnx_fact.h"
#include "generator/check/program.h"
#include "generator/check/recipes.h"
#include "generator/check/replacements.h"
#include "generator/check/signatures.h"
#include "generator/check/uses.h"

namespace opgen {
namespace {

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
    // Of two specs for one operator, which parsing has reported, the first counts.
    for (size_t i = 0; i < specs_.ops.size(); ++i)
      if (i == 0 || specs_.ops[i].op.text != specs_.ops[i - 1].op.text) op(specs_.ops[i], program_.ops);
    for (size_t i = 0; i < specs_.onnx.size(); ++i)
      if (i == 0 || specs_.onnx[i].op.text != specs_.onnx[i - 1].op.text) op(specs_.onnx[i], program_.onnx);
    derive();
    uses_.report(diagnostics_);
    check_replacements(program_, onnx_, diagnostics_);
    // Beside mistakes, too little is known of what holds.
    if (!diagnostics_.has_errors()) expressions_.report_decided();
    program_.calls = std::move(expressions_.calls);
    return std::move(program_);
  }

 private:
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
                            uses_.note(p.span, "parameter '" + p.name + "'", "remove it here and from the calls")});
    }
    scope.define("operator", {Name::Kind::parameter, one(Base::string), nullptr});
    OpsetRange range;
    r.body = recipes.require(r.spec->body, scope, range);
    refuse_releases();
    uses_.are_sound(diagnostics_.breaking_count() == breaking);
  }

  /// What the last operator or function has left behind is forgotten. `op`: the operator, "" in the library.
  void begin(const std::string& op) {
    expressions_.limit = no_limit();
    expressions_.emits_paddle = false;
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
                            uses_.note(p.span, "parameter '" + p.name + "'", "remove it here and from the calls")});
    }
    std::vector<CheckedInput> results;
    for (const Parameter& r : f.head.results) results.push_back({r.name, r.type});
    OpsetRange outer;
    recipes.bindings(f.spec->let, scope, outer, f.let);
    f.require = recipes.requires_(f.spec->require, scope, outer);
    if (!f.spec->is.text.empty()) {
      f.variants.emplace_back();
      CheckedVariant& v = f.variants.back();
      v.range = std::move(outer);
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
    f.emits_paddle = expressions_.emits_paddle;
    uses_.unread(f.let, f.spec->let);
    uses_.unread(f.variants);
    uses_.are_sound(diagnostics_.breaking_count() == breaking);
    program_.functions.push_back(std::move(f));  // never moves the others: functions() reserved the memory
    f = {};
    f.head.name = program_.functions.back().head.name;  // still wanted by visit()
    by_name_[f.head.name] = &program_.functions.back();
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
    SignatureChecker(facts_, uses_, diagnostics_).check(spec, c, scope);
    if (spec.native.text.empty()) {
      RecipeChecker recipes(expressions_, spec.row, diagnostics_);
      OpsetRange outer;
      recipes.bindings(spec.let, scope, outer, c.let);
      c.require = recipes.requires_(spec.require, scope, outer);
      recipes.variants(spec.variants, scope, outer, c.outputs, c.variants, c.range);
      if (expressions_.emits_paddle && !spec.onnx)
        diagnostics_.error(
            "wrong-target", expressions_.fluid_at, "the recipe of a Paddle operator calls Paddle operators",
            "write ONNX operators; 'fluid.' is for specs of ONNX operators, whose names have a capital letter");
      account_for_releases(spec, c.fact, diagnostics_.error_count() == errors);
    }
    c.ok = diagnostics_.error_count() == errors;
    uses_.unread(c.let, spec.let);
    uses_.unread(c.variants);
    uses_.are_sound(diagnostics_.breaking_count() == breaking);
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
  Uses uses_;
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

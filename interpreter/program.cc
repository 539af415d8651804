#include "interpreter/program.h"

#include <algorithm>

#include "generator/lower/walk.h"
#include "interpreter/codes.h"
#include "runtime/paddle/program/operators.h"

namespace fluid2onnx::interpreter {
namespace {

using opgen::Diagnostics;
using opgen::Span;
using opgen::Type;
namespace lowered = opgen::lowered;
using K = lowered::Expr::Kind;

/// A row of opgen's table, and the type of an open operand.
template <class Row>
std::string key_of(const Row& row, const std::string& open) {
  return std::string(row.name) + "(" + row.parameters + ") -> " + row.result + " of " + open;
}

const Operation* find_operation(const opgen::Operation& wanted, const std::string& open) {
  static const std::map<std::string, const Operation*> table = [] {
    std::map<std::string, const Operation*> rows;
    for (const Operation& o : operations()) rows.emplace(key_of(o, o.open), &o);
    return rows;
  }();
  const auto found = table.find(key_of(wanted, open));
  return found == table.end() ? nullptr : found->second;
}

bool is_open(const std::string& parameters) {
  return parameters.rfind("any", 0) == 0 || parameters.rfind("list", 0) == 0;
}

std::vector<Type> types_of(const lowered::Expr& e) {
  std::vector<Type> types;
  for (const lowered::ExprPtr& a : e.args) types.push_back(a->type);
  return types;
}

/// The program has tables of those operators of Paddle, with their attributes, that built-in specs emit.
void check_emission(const lowered::Expr& e, const Span& place, Diagnostics& diagnostics) {
  const auto* type = std::get_if<std::string>(&e.literal);
  if (e.variable || type == nullptr || e.type.base == opgen::Base::string) return;
  const FluidOperator* known = find_fluid_operator(*type);
  const auto refuse = [&](const std::string& what) {
    diagnostics.error("not-interpreted", place, "specs at run time cannot emit " + what,
                      "use what the built-in specs emit, or add the spec below opspecs/onnx and build fluid2onnx");
  };
  if (known == nullptr) return refuse("Paddle's operator '" + *type + "'");
  for (const auto& [name, value] : e.attributes)
    if (known->input(name) == nullptr && known->attr(name) == nullptr)
      refuse("attribute '" + name + "' of Paddle's operator '" + *type + "'");
}

Span place_of(const opgen::Compiled& compiled, const lowered::Routine& function) {
  for (const opgen::CheckedFunction& f : compiled.program.functions)
    if (f.head.name == function.name) return f.spec->head.span;
  return {};
}

}  // namespace

Program::Program(const opgen::Compiled& compiled, lowered::Program lowered, Diagnostics& diagnostics)
    : lowered_(std::move(lowered)) {
  for (const lowered::RoutinePtr& f : lowered_.functions) prepare(*f, place_of(compiled, *f), diagnostics);
  for (const lowered::RoutinePtr& f : lowered_.families) prepare(*f, {}, diagnostics);
  for (const auto* list : {&lowered_.converters, &lowered_.onnx})
    for (const lowered::Converter& c : *list)
      if (c.routine) prepare(*c.routine, c.op->spec->op.span, diagnostics);
}

void Program::prepare(const lowered::Routine& routine, const Span& place, Diagnostics& diagnostics) {
  const auto expression = [&](const lowered::Expr& e) {
    if (e.group != nullptr && nodes_.count(e.group) == 0) nodes_.try_emplace(e.group, *e.group);
    if (e.kind == K::fluid) check_emission(e, place, diagnostics);
    if (e.kind != K::operation) return;
    const std::vector<Type> given = types_of(e);
    const std::string open = is_open(e.operation->parameters) ? opgen::type_name({given[0].base, given[0].list}) : "";
    Step step{find_operation(*e.operation, open), {}, "'" + e.subject + "'"};
    if (step.operation == nullptr) {
      diagnostics.error("not-interpreted", place,
                        "'" + routine.name + "' uses '" + std::string(e.operation->name) + "' of " +
                            opgen::type_name(given[0]) + ", which specs at run time do not support");
      return;
    }
    for (const Type& type : opgen::parameter_types(*e.operation, given)) step.parameters.push_back(kind_of(type));
    steps_.emplace(&e, std::move(step));
  };
  const auto statement = [&](const lowered::Statement& s) {
    if (s.kind != lowered::Statement::Kind::refuse || find_code(s.text)) return;
    unknown_code(s.text, place, diagnostics, "; leave 'code' out for E_REQUIRE");
  };
  lowered::look(routine.body, expression, statement);
}

}  // namespace fluid2onnx::interpreter

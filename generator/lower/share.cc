#include "generator/lower/share.h"

#include <algorithm>
#include <map>

#include "generator/lower/dump.h"
#include "generator/lower/make.h"
#include "generator/lower/walk.h"

namespace opgen::lowered {
namespace {

using K = Expr::Kind;
using S = Statement::Kind;

/// Below this, a row is shorter than the call of what it shares.
constexpr size_t kFewestStatements = 2;
constexpr size_t kMostParameters = 6;

/// What may differ between rows: constants, nodes of ONNX, operators of Paddle.
std::vector<Expr*> open_parts(Routine& routine) {
  std::vector<Expr*> parts;
  walk(routine.body, {[&](Expr& e) {
                        const bool emits = e.kind == K::node || e.kind == K::fluid;
                        if (e.kind == K::constant || (emits && !e.variable)) parts.push_back(&e);
                      },
                      nullptr});
  return parts;
}

/// One text for each value.
std::string value_of(const Expr& e) {
  if (e.kind == K::node) return e.group->builder;
  if (e.kind == K::fluid) return value_of(*make_constant(e.literal));
  Routine one;
  Statement s;
  s.kind = S::run;
  s.value = std::make_shared<Expr>(e);
  one.body.push_back(s);
  return dump(one);
}

/// The parameter that replaces a part.
Type parameter_type(const Expr& part) {
  if (part.kind == K::node) return {Base::unknown, part.count != nullptr};
  return part.kind == K::fluid ? one(Base::string) : part.type;
}

const char* parameter_name(const Expr& part) {
  if (part.kind == K::node) return "node";
  return part.kind == K::fluid || part.type.base == Base::string ? "name" : "row";
}

ExprPtr argument(const Expr& part) {
  auto e = std::make_shared<Expr>();
  e->kind = part.kind;
  e->type = part.kind == K::node ? Type{} : parameter_type(part);
  e->literal = part.literal;
  e->group = part.group;
  if (part.kind == K::node && part.count) e->count = make_constant(int64_t{0});  // which kind of builder it is
  return e;
}

size_t statements(Block& body) {
  size_t n = 0;
  walk(body, {nullptr, [&](Statement&) { ++n; }});
  return n;
}

/// Rows whose code has one shape.
class Sharing {
 public:
  explicit Sharing(const std::vector<Converter*>& rows) {
    for (Converter* row : rows) add(row);
  }

  /// The shared routine; null if too much differs, or nothing.
  RoutinePtr run() {
    if (rows_.size() < 2 || statements(rows_[0]->routine->body) <= kFewestStatements) return nullptr;
    find_parameters();
    if (positions_.size() > kMostParameters) return nullptr;
    std::vector<Block> calls;
    Routine& first = *rows_[0]->routine;
    auto family = std::make_shared<Routine>();
    family->name = first.name + "_family";
    std::replace(family->name.begin(), family->name.end(), '.', '_');
    family->doc = "What " + std::to_string(rows_.size()) + " operators have in common: " + first.name + " ... " +
                  rows_.back()->routine->name;
    family->spec = first.spec;
    for (size_t row = 0; row < rows_.size(); ++row) calls.push_back(call(row, *family));
    parametrise(*family);
    family->body = std::move(first.body);
    prune(*family);
    for (size_t row = 0; row < rows_.size(); ++row) rows_[row]->routine->body = std::move(calls[row]);
    return family;
  }

 private:
  /// A row that is equal to one before has its routine.
  void add(Converter* row) {
    std::vector<Expr*> parts = open_parts(*row->routine);
    std::vector<std::string> values;
    for (const Expr* part : parts) values.push_back(value_of(*part));
    const auto [it, is_new] = equal_.emplace(std::move(values), row->routine);
    if (!is_new) {
      row->routine = it->second;
      return;
    }
    rows_.push_back(row);
    parts_.push_back(std::move(parts));
  }

  /// Constants that differ, once for each way in which they do.
  void find_parameters() {
    std::map<std::vector<std::string>, size_t> known;
    for (size_t i = 0; i < parts_[0].size(); ++i) {
      std::vector<std::string> values;
      for (const auto& row : parts_) values.push_back(value_of(*row[i]));
      if (std::all_of(values.begin(), values.end(), [&](const std::string& v) { return v == values[0]; })) continue;
      values.push_back(parts_[0][i]->kind == K::node && parts_[0][i]->count ? "nodes" : "");
      const auto [it, is_new] = known.emplace(values, positions_.size());
      if (is_new) positions_.emplace_back();
      positions_[it->second].push_back(i);
    }
  }

  Block call(size_t row, const Routine& family) {
    Statement s;
    s.kind = S::run;
    s.value = std::make_shared<Expr>();
    s.value->kind = K::call;
    s.value->effect = Effect::emits;
    s.value->function = &family;
    for (const auto& group : positions_) {
      // Of an operator and texts that are its name, the operator.
      const auto emitted =
          std::find_if(group.begin(), group.end(), [&](size_t i) { return parts_[row][i]->kind == K::fluid; });
      s.value->args.push_back(argument(*parts_[row][emitted == group.end() ? group[0] : *emitted]));
    }
    return {s};
  }

  void parametrise(Routine& family) {
    for (const auto& group : positions_) {
      const Expr& part = *parts_[0][group[0]];
      auto parameter = std::make_shared<Variable>();
      parameter->name = parameter_name(part);
      parameter->type = parameter_type(part);
      family.parameters.push_back(parameter);
      for (const size_t i : group) {
        Expr& place = *parts_[0][i];
        if (place.kind == K::constant) place.kind = K::variable;
        place.variable = parameter;
      }
    }
  }

  std::vector<Converter*> rows_;  ///< that differ from each other
  std::map<std::vector<std::string>, RoutinePtr> equal_;
  std::vector<std::vector<Expr*>> parts_;       ///< of each row, in the same order
  std::vector<std::vector<size_t>> positions_;  ///< for each parameter
};

void share(std::vector<Converter>* converters, std::vector<RoutinePtr>* families) {
  std::map<std::string, std::vector<Converter*>> alike;
  for (Converter& c : *converters)
    if (c.routine && !c.op->spec->row.empty()) alike[c.routine->spec + "\n" + dump(*c.routine, true)].push_back(&c);
  for (auto& [shape, rows] : alike)
    if (const RoutinePtr family = Sharing(rows).run()) families->push_back(family);
}

}  // namespace

void share_rows(Program* program) {
  share(&program->converters, &program->families);
  share(&program->onnx, &program->families);
}

}  // namespace opgen::lowered

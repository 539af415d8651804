#include "generator/print/print_onnx.h"

#include <algorithm>
#include <set>

#include "generator/check/onnx_fact.h"
#include "generator/diagnostics/text.h"
#include "generator/lower/walk.h"
#include "generator/print/cpp_routines.h"
#include "generator/print/tables.h"

namespace opgen {
namespace {

using cpp::chomp;
using cpp::row;
using cpp::text;
using lowered::Converter;
using lowered::Routine;
using lowered::RoutinePtr;
using nlohmann::json;

/// What the natives of control flow and the constants emit.
const std::set<std::string>& always_emitted() {
  static const std::set<std::string> list{"assign",
                                          "assign_value",
                                          "cast",
                                          "conditional_block",
                                          "fill_constant",
                                          "increment",
                                          "less_than",
                                          "logical_and",
                                          "logical_not",
                                          "select_input",
                                          "tensor_array_to_tensor",
                                          "unsqueeze2",
                                          "flip",
                                          "while",
                                          "write_to_array",
                                          "lod_array_length",
                                          "read_from_array",
                                          "shape",
                                          "slice",
                                          "concat",
                                          "stack",
                                          "reshape2",
                                          "squeeze2"};
  return list;
}

std::string slots_of(const std::vector<SlotFact>& slots) {
  const auto text = [](const SlotFact& s) { return s.name + (s.list ? "*" : "") + (s.optional ? "?" : ""); };
  return joined(slots, text, " ");
}

/// "=1,1": what Paddle takes when the attribute is not given. Nothing where it has no meaning, or no default.
std::string default_of(const AttrFact& attr) {
  const json& value = attr.default_value;
  if (attr.extra || value.is_null()) return "";
  const auto one = [](const json& v) { return v.is_string() ? v.get<std::string>() : v.dump(); };
  std::string out = "=";
  if (!value.is_array()) out += one(value);
  for (size_t i = 0; value.is_array() && i < value.size(); ++i) out += (i > 0 ? "," : "") + one(value[i]);
  return out.find_first_of(" @") == std::string::npos ? out : "";
}

/// "axis:int=-1 shape:ints=@Shape+ShapeTensor": name, kind, default, and the slots that may give it.
/// Without neutral ones that no recipe and no native sets.
std::string attrs_of(const OpFact& fact, bool native, const std::set<std::string>& set) {
  std::string out;
  for (const AttrFact& a : fact.attrs) {
    if (a.extra && !native && set.count(a.name) == 0) continue;
    out += (out.empty() ? "" : " ") + a.name + ":" + a.type + default_of(a);
    const auto sources = fact.params.find(a.name);
    if (sources == fact.params.end() && !a.tensor) continue;
    const ParamFact none;
    const ParamFact& p = sources == fact.params.end() ? none : sources->second;
    out += "@" + p.tensor_slot + "+" + p.list_slot;
  }
  return out;
}

}  // namespace

std::vector<std::string> onnx_rows(const lowered::Program& program, const OnnxModel& onnx) {
  std::set<const OnnxGroup*> with_specs;
  int newest = 0;
  for (const Converter& c : program.onnx) {
    const OnnxGroup* group = find_onnx_group(onnx, c.op->spec->op.text);
    with_specs.insert(group);
    newest = std::max(newest, group->last);
  }
  std::vector<std::string> rows;
  for (const Converter& c : program.onnx) {
    const OpSpec& spec = *c.op->spec;
    const OnnxGroup& group = *find_onnx_group(onnx, spec.op.text);
    const OnnxForm form = onnx_form(group, onnx, with_specs);
    std::vector<Piece> items{
        text(group.op),    cpp::converter_function(c), cpp::spec_name(spec.file), std::to_string(form.first),
        text(form.inputs), text(form.outputs)};
    // What most do not have is left out.
    if (!form.older.empty() || group.last < newest) items.push_back(text(form.older));
    if (group.last < newest) items.emplace_back(std::to_string(group.last));
    rows.push_back(row(std::move(items), 2));
  }
  return rows;
}

json onnx_registry_data(const lowered::Program& program, const Facts& facts, json tables) {
  std::set<std::string> emitted = always_emitted(), set;
  const auto note = [&](const Routine& routine) {
    lowered::look(routine.body, [&](const lowered::Expr& e) {
      if (e.kind != lowered::Expr::Kind::fluid) return;
      if (!e.variable) emitted.insert(std::get<std::string>(e.literal));
      for (const auto& [name, value] : e.attributes) set.insert(name);
    });
  };
  for (const RoutinePtr& f : program.functions) note(*f);
  for (const RoutinePtr& f : program.families) note(*f);
  for (const Converter& c : program.onnx)
    if (c.routine) note(*c.routine);
  std::string operators;
  for (const std::string& name : emitted) {
    const auto found = facts.ops.find(name);
    if (found == facts.ops.end()) continue;
    const OpFact& fact = found->second;
    operators += row({text(name), text(slots_of(fact.inputs)), text(slots_of(fact.outputs)),
                      text(attrs_of(fact, always_emitted().count(name) > 0, set)), text(joined(fact.dtypes, " "))},
                     2);
  }
  tables["operators"] = chomp(operators);
  return tables;
}

}  // namespace opgen

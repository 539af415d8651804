#include "generator/print/print_onnx.h"

#include <set>

#include "generator/check/onnx_fact.h"
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

/// "X axes?": names in order.
std::string slots_text(const std::vector<OnnxOperand>& operands) {
  std::string out;
  for (const OnnxOperand& o : operands) out += (out.empty() ? "" : " ") + o.name + (o.variadic ? "*" : "");
  return out;
}

/// "axes=axes": operands and attributes of the newest version, and what older ones call the attribute that says it.
std::string older_text(const OnnxGroup& group) {
  std::string out;
  for (const auto& [name, old] : group.older) out += (out.empty() ? "" : " ") + name + "=" + old;
  return out;
}

/// The first opset whose operator the spec of a group reads.
int reads_from(const OnnxGroup& group, const OnnxModel& onnx, const std::set<const OnnxGroup*>& with_specs) {
  const OnnxGroup* first = &group;
  while (first->reads_older) {
    const OnnxGroup* older = onnx.before(*first);
    if (older == nullptr || with_specs.count(older) > 0) break;
    first = older;
  }
  return first->reads_from > 0 ? first->reads_from : first->versions.front().first;
}

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

std::string names_of(const std::vector<SlotFact>& slots) {
  std::string out;
  for (const SlotFact& s : slots)
    out += (out.empty() ? "" : " ") + s.name + (s.list ? "*" : "") + (s.optional ? "?" : "") + (s.extra ? "~" : "");
  return out;
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
std::string attrs_of(const OpFact& fact) {
  std::string out;
  for (const AttrFact& a : fact.attrs) {
    out += (out.empty() ? "" : " ") + a.name + ":" + a.type + default_of(a);
    const auto sources = fact.params.find(a.name);
    if (sources == fact.params.end() && !a.tensor) continue;
    const ParamFact none;
    const ParamFact& p = sources == fact.params.end() ? none : sources->second;
    out += "@" + p.tensor_slot + "+" + p.list_slot;
  }
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : " ") + w;
  return out;
}

}  // namespace

json onnx_registry_data(const lowered::Program& program, const OnnxModel& onnx, const Facts& facts) {
  std::set<std::string> emitted = always_emitted();
  const auto note = [&](const Routine& routine) {
    lowered::look(routine.body, [&](const lowered::Expr& e) {
      if (e.kind == lowered::Expr::Kind::fluid && !e.variable) emitted.insert(std::get<std::string>(e.literal));
    });
  };
  for (const RoutinePtr& f : program.functions) note(*f);
  for (const RoutinePtr& f : program.families) note(*f);
  std::set<const OnnxGroup*> with_specs;
  for (const Converter& c : program.onnx) with_specs.insert(find_onnx_group(onnx, c.op->spec->op.text));
  std::string converters, operators;
  for (const Converter& c : program.onnx) {
    const OpSpec& spec = *c.op->spec;
    const std::string& name = spec.op.text;
    const OnnxGroup& group = *find_onnx_group(onnx, name);
    if (c.routine) note(*c.routine);
    converters += row({text(group.op), std::to_string(reads_from(group, onnx, with_specs)), std::to_string(group.last),
                       cpp::converter_function(c), text(spec.file), text(slots_text(group.newest().inputs)),
                       text(slots_text(group.newest().outputs)), text(older_text(group))});
  }
  for (const std::string& name : emitted) {
    const auto found = facts.ops.find(name);
    if (found == facts.ops.end()) continue;
    const OpFact& fact = found->second;
    operators += row({text(name), text(names_of(fact.inputs)), text(names_of(fact.outputs)), text(attrs_of(fact)),
                      text(joined(fact.dtypes))});
  }
  return {{"declarations", chomp(cpp::converter_declarations(program.onnx))},
          {"converters", chomp(converters)},
          {"operators", chomp(operators)}};
}

}  // namespace opgen

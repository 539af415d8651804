#include <nlohmann/json.hpp>

#include "generator/explain/explain.h"

namespace opgen {
namespace {

using nlohmann::json;
using Kind = Statement::Kind;

json statements(const std::vector<CheckedStatement>& list) {
  static const char* const names[] = {"assign", "if", "for", "require", "loop", "branch", "lod"};
  json out = json::array();
  for (const CheckedStatement& s : list) {
    json j{{"kind", names[static_cast<int>(s.kind)]}};
    for (size_t i = 0; i < s.targets.size(); ++i)
      j["targets"].push_back({{"name", s.targets[i].name}, {"type", i < s.types.size() ? type_name(s.types[i]) : ""}});
    if (s.expr) j["value"] = s.expr->source;
    if (s.kind == Kind::require && s.require.that) j["value"] = s.require.that->source;
    if (!s.body.empty()) j["body"] = statements(s.body);
    if (!s.otherwise.empty()) j["else"] = statements(s.otherwise);
    out.push_back(j);
  }
  return out;
}

json bindings(const std::vector<CheckedBinding>& list) {
  json out = json::array();
  for (const CheckedBinding& b : list)
    out.push_back({{"name", b.name}, {"type", type_name(b.type)}, {"value", b.value ? b.value->source : ""}});
  return out;
}

json variants(const std::vector<CheckedVariant>& list) {
  json out = json::array();
  for (const CheckedVariant& v : list) {
    json j{{"opsets", {v.range.first, v.range.last}}, {"nodes", statements(v.nodes)}};
    if (v.when) j["when"] = v.when->source;
    if (!v.let.empty()) j["let"] = bindings(v.let);
    out.push_back(j);
  }
  return out;
}

json slots(const std::vector<CheckedInput>& list) {
  json out = json::object();
  for (const CheckedInput& i : list) out[i.name] = type_name(i.type);
  return out;
}

}  // namespace

std::string dump_program(const CheckedProgram& program) {
  json ops = json::object();
  for (const CheckedOp& op : program.ops) {
    json j{{"spec", op.spec->file},
           {"opsets", {op.range.first, op.range.last}},
           {"inputs", slots(op.inputs)},
           {"outputs", slots(op.outputs)},
           {"variants", variants(op.variants)}};
    for (const CheckedAttr& a : op.attrs) j["attrs"][a.fact.name] = type_name(a.type);
    for (const CheckedParam& p : op.params) j["params"][p.name] = type_name(p.type);
    if (!op.let.empty()) j["let"] = bindings(op.let);
    ops[op.spec->op.text] = j;
  }
  json functions = json::object();
  for (const CheckedFunction& f : program.functions)
    functions[f.head.name] = {{"head", f.spec->head.text},
                              {"spec", f.spec->file},
                              {"opsets", {f.range.first, f.range.last}},
                              {"variants", variants(f.variants)}};
  return json{{"ops", ops}, {"functions", functions}}.dump(1);
}

std::string dump_specs(const SpecSet& specs) {
  const auto texts = [](const std::vector<Text>& list) {
    json out = json::array();
    for (const Text& t : list) out.push_back(t.text);
    return out;
  };
  json ops = json::object();
  for (const OpSpec& op : specs.ops) {
    json j{{"spec", op.file},
           {"line", op.span.line},
           {"doc", op.doc.text},
           {"inputs", texts(op.inputs)},
           {"outputs", texts(op.outputs)},
           {"attrs", texts(op.attrs)},
           {"variants", op.variants.size()},
           {"examples", op.examples.size()}};
    for (const auto& [column, text] : op.row) j["row"][column] = text.text;
    ops[op.op.text] = j;
  }
  json functions = json::array();
  for (const Function& f : specs.functions)
    functions.push_back({{"head", f.head.text}, {"spec", f.file}, {"line", f.span.line}});
  return json{{"ops", ops}, {"functions", functions}}.dump(1);
}

}  // namespace opgen

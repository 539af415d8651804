#include "generator/render/pir.h"

#include "generator/render/template.h"

namespace opgen {
namespace {

using nlohmann::json;

/// Members that say something: text that is not empty, and flags that are set.
void add(json* entry, const char* key, const std::string& text) {
  if (!text.empty()) (*entry)[key] = text;
}
void add(json* entry, const char* key, bool flag) {
  if (flag) (*entry)[key] = true;
}

/// Where Fluid takes an operand; one that was an attribute has the sources of that parameter.
json operand_entry(const PirArgument& operand, const OpFact* fluid) {
  json entry{{"name", operand.name}};
  add(&entry, "attr", operand.attr);
  add(&entry, "cast", operand.cast);
  add(&entry, "ignored", operand.ignored);
  if (!fluid || operand.attr.empty()) {
    add(&entry, "slot", operand.slot);
    return entry;
  }
  if (const auto param = fluid->params.find(operand.attr); param != fluid->params.end()) {
    add(&entry, "slot", param->second.tensor_slot);
    add(&entry, "list_slot", param->second.list_slot);
  }
  const AttrFact* attr = fluid->attr(operand.attr);
  add(&entry, "names_variable", attr && attr->tensor);
  add(&entry, "is_text", attr && attr->type == "string");
  return entry;
}

json result_entry(const PirArgument& result, const PirOpFact& fact) {
  json entry{{"name", result.name}};
  add(&entry, "slot", result.slot);
  add(&entry, "cast", result.cast);
  for (size_t i = 0; i < fact.operands.size(); ++i)
    if (fact.operands[i].name == result.overwrites) entry["overwrites"] = i;
  return entry;
}

json attr_entry(const PirArgument& attr) {
  json entry{{"name", attr.name}};
  add(&entry, "attr", attr.attr);
  add(&entry, "ignored", attr.ignored);
  return entry;
}

json op_entry(const PirOpFact& fact, const OpFact* fluid) {
  json operands = json::array(), results = json::array(), attrs = json::array();
  for (const PirArgument& operand : fact.operands) operands.push_back(operand_entry(operand, fluid));
  for (const PirArgument& result : fact.results) results.push_back(result_entry(result, fact));
  for (const PirArgument& attr : fact.attrs) attrs.push_back(attr_entry(attr));
  return {{"fluid", fact.fluid}, {"operands", operands}, {"results", results}, {"attrs", attrs}, {"fixed", fact.fixed}};
}

}  // namespace

std::map<std::string, std::string> render_pir(const Facts& facts, const std::string& templates) {
  json ops = json::array();
  for (const auto& [name, fact] : facts.pir) {
    const auto& table = fact.is_newer ? facts.newer : facts.ops;
    const auto known = table.find(fact.fluid);
    const json entry = op_entry(fact, known == table.end() ? nullptr : &known->second);
    ops.push_back({{"name", name}, {"entry", entry.dump()}});
  }
  return {{"generated/pir_operators.cc", render_template(templates, "pir_operators.cc.mustache", {{"ops", ops}})}};
}

}  // namespace opgen

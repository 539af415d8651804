#include "generator/print/print_pir.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "generator/diagnostics/text.h"
#include "generator/print/tables.h"
#include "generator/render/template.h"

namespace opgen {
namespace {

/// "LearningRate" -> "learning_rate": what most slots of Fluid are called in the new IR.
std::string in_small(const std::string& slot) {
  std::string name;
  bool inside = false;  // of a word
  for (const char c : slot) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (capital && inside) name += '_';
    name += capital ? static_cast<char>(c - 'A' + 'a') : c;
    inside = !capital;
  }
  return name;
}

/// "Param": param, in Fluid Param. "x": called so in both. "x=Operands"; "x=" where Fluid has none.
std::string both_names(const std::string& name, const std::string& in_fluid) {
  if (name == in_fluid && in_small(name) == name) return name;
  if (name != in_fluid && in_small(in_fluid) == name) return in_fluid;
  return name + "=" + in_fluid;
}

std::string flags(const std::vector<std::pair<char, bool>>& all) {
  std::string set;
  for (const auto& [flag, on] : all)
    if (on) set += flag;
  return set;
}

/// "=-1", "='NCHW'": JSON whose quotes need no escapes.
std::string default_text(std::string value) {
  if (value.find_first_of(" '@~!") != std::string::npos)
    throw std::logic_error("a default that the table of Paddle 3 cannot hold: " + value);
  std::replace(value.begin(), value.end(), '"', '\'');
  return value.empty() ? "" : "=" + value;
}

std::string behind(char mark, const std::string& text) { return text.empty() ? "" : mark + text; }

/// The value at which an attribute changes nothing, or else its default: as JSON.
std::string fallback_of(const PirArgument& argument) {
  const nlohmann::json& value = argument.neutral.is_null() ? argument.default_value : argument.neutral;
  return value.is_null() ? "" : value.dump();
}

/// The kind of attribute that files have: "i32", "f64[]", "dtype".
std::string stored_type(const PirArgument& attr) {
  const bool list = attr.type.ends_with('s');
  if (attr.stored == "intarray") return attr.stored;
  if (!attr.stored.empty()) return attr.stored + (list ? "[]" : "");
  static const std::map<std::string, std::string> kinds{{"int", "i32"}, {"float", "f32"}, {"string", "str"}};
  const std::string element = list ? attr.type.substr(0, attr.type.size() - 1) : attr.type;
  const auto found = kinds.find(element);
  return (found == kinds.end() ? element : found->second) + (list ? "[]" : "");
}

/// Where Fluid takes an operand; one that was an attribute has the sources of that parameter.
std::string operand_row(const PirArgument& operand, const OpFact* fluid) {
  const bool is_attr = fluid && !operand.attr.empty();
  std::string slot = is_attr ? "" : operand.slot, list_slot;
  const AttrFact* attr = is_attr ? fluid->attr(operand.attr) : nullptr;
  if (is_attr) {
    if (const auto param = fluid->params.find(operand.attr); param != fluid->params.end()) {
      slot = param->second.tensor_slot;
      list_slot = param->second.list_slot;
    }
  }
  const std::string as_attr = operand.attr.empty() ? ""
                                                   : "@" + (operand.attr == operand.name ? "" : operand.attr) + ":" +
                                                         operand.type + default_text(fallback_of(operand));
  return both_names(operand.name, slot) + behind('+', list_slot) +
         flags({{'*', operand.list},
                {'?', operand.optional},
                {'~', operand.ignored},
                {'$', attr && attr->tensor},
                {'#', attr && attr->type == "string"}}) +
         as_attr + behind('!', operand.cast);
}

std::string result_row(const PirArgument& result, const PirOpFact& fact) {
  int overwrites = -1;
  for (size_t i = 0; i < fact.operands.size(); ++i)
    if (fact.operands[i].name == result.overwrites) overwrites = static_cast<int>(i);
  return both_names(result.name, result.slot) + flags({{'*', result.list}, {'?', result.optional}}) +
         (overwrites < 0 ? "" : ">" + std::to_string(overwrites)) + behind('!', result.cast);
}

std::string attr_row(const PirArgument& attr) {
  return attr.name + ":" + stored_type(attr) + default_text(fallback_of(attr)) +
         (attr.attr == attr.name ? "" : "@" + attr.attr) + flags({{'~', attr.ignored}});
}

std::string fixed_text(const PirOpFact& fact, const Facts& facts) {
  const auto fixed = [](const auto& item) {
    const std::string value = item.second.dump();
    if (!item.second.is_boolean() && !item.second.is_number_integer() &&
        !(item.second.is_number_float() && value.find_first_of("eE") == std::string::npos))
      throw std::logic_error("a fixed attribute that the table of Paddle 3 cannot hold: " + value);
    return item.first + "=" + value;
  };
  std::string out = joined(fact.fixed, fixed, " ");
  // Files of the new IR do not say who wrote them: they mean at least what the change made of the operator.
  if (!fact.changed.empty()) {
    const Release& release = facts.releases[facts.releases.find(fact.changed)];
    out += (out.empty() ? "" : " ") + std::string("paddle_release=") + std::to_string(release.number);
  }
  return out;
}

/// What the table has, without the empty texts at the end.
std::string operator_row(const std::string& name, const PirOpFact& fact, const Facts& facts) {
  const auto& table = fact.is_newer ? facts.newer : facts.ops;
  const auto known = table.find(fact.fluid);
  const OpFact* fluid = known == table.end() ? nullptr : &known->second;
  std::vector<std::string> texts{name,
                                 fact.fluid == name ? "" : fact.fluid,
                                 joined(
                                     fact.operands, [&](const PirArgument& o) { return operand_row(o, fluid); }, " "),
                                 joined(
                                     fact.results, [&](const PirArgument& r) { return result_row(r, fact); }, " "),
                                 joined(fact.attrs, attr_row, " "),
                                 fixed_text(fact, facts)};
  while (texts.back().empty()) texts.pop_back();
  std::vector<Piece> items;
  for (const std::string& text : texts) items.push_back(cpp::text(text));
  return cpp::row(std::move(items), 2);
}

}  // namespace

std::map<std::string, std::string> print_pir(const Facts& facts, const std::string& templates) {
  std::string operators;
  for (const auto& [name, fact] : facts.pir) operators += operator_row(name, fact, facts);
  operators.pop_back();
  return {{"generated/pir_operators.cc",
           render_template(templates, "pir_operators.cc.mustache", {{"operators", operators}})}};
}

}  // namespace opgen

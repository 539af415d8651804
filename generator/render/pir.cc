#include "generator/render/pir.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "generator/render/template.h"

namespace opgen {
namespace {

constexpr size_t kWidth = 120;

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

/// One initialiser: its members in order, without those at the end that are usual.
class Row {
 public:
  explicit Row(const std::string& name) { given(quoted(name)); }

  Row& text(const std::string& value) { return value.empty() ? usual("\"\"") : given(quoted(value)); }
  Row& number(int value, int usually) {
    return value == usually ? usual(std::to_string(value)) : given(std::to_string(value));
  }
  /// Names of flags, of those that are set.
  Row& flags(const std::vector<std::pair<const char*, bool>>& all) {
    std::string set;
    for (const auto& [name, on] : all)
      if (on) set += (set.empty() ? "" : " | ") + std::string(name);
    return set.empty() ? usual("0") : given(set);
  }
  /// What stands in front of it is written, too.
  Row& needed() {
    text_ += std::exchange(pending_, "");
    return *this;
  }

  std::string str() const { return text_ + "}"; }

 private:
  Row& usual(const std::string& value) {
    pending_ += ", " + value;
    return *this;
  }
  Row& given(const std::string& value) {
    text_ += (text_.empty() ? "{" : pending_ + ", ") + value;
    pending_.clear();
    return *this;
  }

  std::string text_, pending_;
};

/// An array of initialisers in which equal lists stand once, also those that are parts of others.
class Lists {
 public:
  using Rows = std::vector<std::string>;

  void add(const Rows& rows) {
    if (!rows.empty()) starts_.try_emplace(rows, 0);
  }

  /// When all are known: long ones first, so that they hold the short ones.
  void arrange() {
    std::vector<const Rows*> order;
    for (const auto& [rows, at] : starts_) order.push_back(&rows);
    std::stable_sort(order.begin(), order.end(), [](const Rows* a, const Rows* b) { return a->size() > b->size(); });
    for (const Rows* rows : order) starts_[*rows] = place(*rows);
  }

  /// The initialiser of a part.
  std::string part(const Rows& rows) const {
    if (rows.empty()) return "{}";
    return "{" + std::to_string(starts_.at(rows)) + ", " + std::to_string(rows.size()) + "}";
  }

  /// Without the last line's end, which the template has.
  std::string str() const { return text_.substr(0, text_.size() - 1); }

 private:
  size_t place(const Rows& rows) {
    const auto found = std::search(all_.begin(), all_.end(), rows.begin(), rows.end());
    const auto at = static_cast<size_t>(found - all_.begin());
    if (found == all_.end()) append(rows);
    return at;
  }

  void append(const Rows& rows) {
    std::string line = "    /* " + std::to_string(all_.size()) + " */";
    for (const std::string& row : rows) {
      if (line.size() + row.size() + 2 > kWidth) {
        text_ += line + "\n";
        line = "       ";
      }
      line += " " + row + ",";
    }
    text_ += line + "\n";
    all_.insert(all_.end(), rows.begin(), rows.end());
  }

  std::string text_;
  std::map<Rows, size_t> starts_;
  Rows all_;
};

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

/// What has one name in both goes without the second one.
std::string once(const std::string& name, const std::string& row) {
  return row == "{" + quoted(name) + ", " + quoted(name) + "}" ? "{" + quoted(name) + "}" : row;
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
  const Row row = Row(operand.name)
                      .text(slot)
                      .needed()
                      .flags({{"kList", operand.list},
                              {"kOptional", operand.optional},
                              {"kIgnored", operand.ignored},
                              {"kNamesVariable", attr && attr->tensor},
                              {"kIsText", attr && attr->type == "string"}})
                      .text(operand.attr)
                      .text(operand.type)
                      .text(fallback_of(operand))
                      .text(list_slot)
                      .text(operand.cast);
  return once(operand.name, row.str());
}

std::string result_row(const PirArgument& result, const PirOpFact& fact) {
  int overwrites = -1;
  for (size_t i = 0; i < fact.operands.size(); ++i)
    if (fact.operands[i].name == result.overwrites) overwrites = static_cast<int>(i);
  const Row row = Row(result.name)
                      .text(result.slot)
                      .needed()
                      .number(overwrites, -1)
                      .flags({{"kList", result.list}, {"kOptional", result.optional}})
                      .text(result.cast);
  return once(result.name, row.str());
}

std::string attr_row(const PirArgument& attr) {
  Row row(attr.name);
  row.text(stored_type(attr)).needed().text(fallback_of(attr));
  if (attr.attr == attr.name && !attr.ignored) return row.str();
  return row.text(attr.attr).needed().flags({{"kIgnored", attr.ignored}}).str();
}

template <typename Range, typename Print>
std::vector<std::string> rows(const Range& range, const Print& print) {
  std::vector<std::string> out;
  for (const auto& item : range) out.push_back(print(item));
  return out;
}

/// One operator's lists.
struct Parts {
  Lists::Rows operands, results, attrs, fixed;
};

Parts parts_of(const PirOpFact& fact, const Facts& facts) {
  const auto& table = fact.is_newer ? facts.newer : facts.ops;
  const auto known = table.find(fact.fluid);
  const OpFact* fluid = known == table.end() ? nullptr : &known->second;
  Parts parts{rows(fact.operands, [&](const PirArgument& o) { return operand_row(o, fluid); }),
              rows(fact.results, [&](const PirArgument& r) { return result_row(r, fact); }),
              rows(fact.attrs, attr_row),
              {}};
  for (const auto& [attr, value] : fact.fixed) parts.fixed.push_back("{" + quoted(attr) + ", " + value.dump() + "}");
  // Files of the new IR do not say who wrote them: they mean at least what the change made of the operator.
  if (!fact.changed.empty()) {
    const Release& release = facts.releases[facts.releases.find(fact.changed)];
    parts.fixed.push_back("{\"paddle_release\", std::int64_t{" + std::to_string(release.number) + "}}");
  }
  return parts;
}

/// What the table has, without the empty lists at the end.
std::string operator_row(const std::string& name, const std::string& fluid, std::vector<std::string> parts) {
  while (!parts.empty() && parts.back() == "{}") parts.pop_back();
  std::string line = "    {" + quoted(name) + ", " + (fluid == name ? "\"\"" : quoted(fluid));
  for (const std::string& part : parts) line += ", " + part;
  return line + "},\n";
}

}  // namespace

std::map<std::string, std::string> render_pir(const Facts& facts, const std::string& templates) {
  Lists operands, results, attrs, fixed;
  std::map<std::string, Parts> all;
  for (const auto& [name, fact] : facts.pir) {
    const Parts& parts = all[name] = parts_of(fact, facts);
    operands.add(parts.operands);
    results.add(parts.results);
    attrs.add(parts.attrs);
    fixed.add(parts.fixed);
  }
  for (Lists* lists : {&operands, &results, &attrs, &fixed}) lists->arrange();
  std::string operators;
  for (const auto& [name, parts] : all)
    operators += operator_row(
        name, facts.pir.at(name).fluid,
        {operands.part(parts.operands), results.part(parts.results), attrs.part(parts.attrs), fixed.part(parts.fixed)});
  operators.pop_back();
  return {{"generated/pir_operators.cc", render_template(templates, "pir_operators.cc.mustache",
                                                         {{"operands", operands.str()},
                                                          {"results", results.str()},
                                                          {"attrs", attrs.str()},
                                                          {"fixed", fixed.str()},
                                                          {"operators", operators}})}};
}

}  // namespace opgen

#include "generator/render/pir.h"

#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "generator/render/template.h"

namespace opgen {
namespace {

constexpr size_t kWidth = 120;

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

/// One initialiser: the first members in order, then what is not usual by name. `{"x", "X", .is_text = true}` would not
/// be C++, so all members have names as soon as one needs it.
class Row {
 public:
  void text(const char* member, const std::string& value) { add(member, value.empty() ? "" : quoted(value)); }
  void flag(const char* member, bool value) { add(member, value ? "true" : ""); }
  void number(const char* member, int value, int usual) { add(member, value == usual ? "" : std::to_string(value)); }

  std::string str() const {
    size_t last = 0;
    bool gaps = false;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].second.empty()) continue;
      gaps = gaps || i > last;
      last = i + 1;
    }
    std::string out;
    for (const auto& [member, value] : members_) {
      if (value.empty()) continue;
      out += (out.empty() ? "{" : ", ") + (gaps ? "." + std::string(member) + " = " : "") + value;
    }
    return out + "}";
  }

 private:
  void add(const char* member, std::string value) { members_.emplace_back(member, std::move(value)); }

  std::vector<std::pair<const char*, std::string>> members_;
};

/// An array of initialisers in which equal lists stand once.
class Lists {
 public:
  explicit Lists(std::string array) : array_(std::move(array)) {}

  /// The initialiser of a span over `rows`.
  std::string span(const std::vector<std::string>& rows) {
    if (rows.empty()) return "{}";
    const auto [at, is_new] = starts_.try_emplace(rows, size_);
    if (is_new) append(rows);
    return "{" + array_ + (at->second ? " + " + std::to_string(at->second) : "") + ", " + std::to_string(rows.size()) +
           "}";
  }

  /// Without the last line's end, which the template has.
  std::string str() const { return text_.substr(0, text_.size() - 1); }

 private:
  void append(const std::vector<std::string>& rows) {
    std::string line = "    /* " + std::to_string(size_) + " */";
    for (const std::string& row : rows) {
      if (line.size() + row.size() + 2 > kWidth) {
        text_ += line + "\n";
        line = "       ";
      }
      line += " " + row + ",";
    }
    text_ += line + "\n";
    size_ += rows.size();
  }

  std::string array_, text_;
  std::map<std::vector<std::string>, size_t> starts_;
  size_t size_ = 0;
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
  Row row;
  row.text("name", operand.name);
  row.text("slot", slot);
  row.text("attr", operand.attr);
  row.text("list_slot", list_slot);
  row.text("cast", operand.cast);
  row.flag("names_variable", attr && attr->tensor);
  row.flag("is_text", attr && attr->type == "string");
  row.flag("ignored", operand.ignored);
  row.flag("list", operand.list);
  row.flag("optional", operand.optional);
  row.text("type", operand.type);
  row.text("default_value", fallback_of(operand));
  return row.str();
}

std::string result_row(const PirArgument& result, const PirOpFact& fact) {
  int overwrites = -1;
  for (size_t i = 0; i < fact.operands.size(); ++i)
    if (fact.operands[i].name == result.overwrites) overwrites = static_cast<int>(i);
  Row row;
  row.text("name", result.name);
  row.text("slot", result.slot);
  row.text("cast", result.cast);
  row.number("overwrites", overwrites, -1);
  row.flag("list", result.list);
  row.flag("optional", result.optional);
  return row.str();
}

std::string attr_row(const PirArgument& attr) {
  Row row;
  row.text("name", attr.name);
  row.text("attr", attr.attr);
  row.text("type", stored_type(attr));
  row.text("default_value", fallback_of(attr));
  row.flag("ignored", attr.ignored);
  return row.str();
}

template <typename Range, typename Print>
std::vector<std::string> rows(const Range& range, const Print& print) {
  std::vector<std::string> out;
  for (const auto& item : range) out.push_back(print(item));
  return out;
}

}  // namespace

std::map<std::string, std::string> render_pir(const Facts& facts, const std::string& templates) {
  Lists operands("kOperands"), results("kResults"), attrs("kAttrs"), fixed("kFixed");
  std::string operators;
  for (const auto& [name, fact] : facts.pir) {
    const auto& table = fact.is_newer ? facts.newer : facts.ops;
    const auto known = table.find(fact.fluid);
    const OpFact* fluid = known == table.end() ? nullptr : &known->second;
    std::vector<std::string> implied;
    for (const auto& [attr, value] : fact.fixed) implied.push_back("{" + quoted(attr) + ", " + value.dump() + "}");
    // Files of the new IR do not say who wrote them: they mean at least what the change made of the operator.
    if (!fact.changed.empty()) {
      const Release& release = facts.releases[facts.releases.find(fact.changed)];
      implied.push_back("{\"paddle_release\", std::int64_t{" + std::to_string(release.number) + "}}");
    }
    const std::string cells[] = {
        quoted(fact.fluid),
        operands.span(rows(fact.operands, [&](const PirArgument& o) { return operand_row(o, fluid); })),
        results.span(rows(fact.results, [&](const PirArgument& r) { return result_row(r, fact); })),
        attrs.span(rows(fact.attrs, attr_row)), fixed.span(implied)};
    std::string line = "    {" + quoted(name);
    for (const std::string& cell : cells) {
      line += ",";
      if (line.size() - (line.rfind('\n') + 1) + cell.size() + 4 > kWidth) line += "\n    ";
      line += " " + cell;
    }
    operators += line + "},\n";
  }
  operators.pop_back();
  return {{"generated/pir_operators.cc", render_template(templates, "pir_operators.cc.mustache",
                                                         {{"operands", operands.str()},
                                                          {"results", results.str()},
                                                          {"attrs", attrs.str()},
                                                          {"fixed", fixed.str()},
                                                          {"operators", operators}})}};
}

}  // namespace opgen

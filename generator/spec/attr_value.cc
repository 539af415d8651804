#include "generator/spec/attr_value.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <set>
#include <string_view>

#include "generator/diagnostics/text.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

using nlohmann::json;

/// Attributes that hold a dtype hold its number in Paddle's framework.proto; a name reads better.
bool holds_dtype(const std::string& attr) {
  const auto ends_with = [&](std::string_view end) {
    return attr.size() >= end.size() && attr.compare(attr.size() - end.size(), end.size(), end) == 0;
  };
  if (ends_with("size_of_dtype")) return false;
  return attr == "dtype" || attr == "dtypes" || attr == "to" || ends_with("_dtype");
}

const std::map<std::string, int> kDtypeNumbers = {
    {"bool", 0},    {"int16", 1},  {"int32", 2}, {"int64", 3},     {"float16", 4},    {"float32", 5},
    {"float64", 6}, {"uint8", 20}, {"int8", 21}, {"bfloat16", 22}, {"complex64", 23}, {"complex128", 24}};

std::optional<json> integer(const std::string& text) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && !text.empty()) return value;
  return std::nullopt;
}

std::optional<json> dtype_number(const std::string& text) {
  const auto dtype = kDtypeNumbers.find(text);
  return dtype == kDtypeNumbers.end() ? std::nullopt : std::optional<json>(dtype->second);
}

std::optional<json> number_from_text(const std::string& text) {
  if (text == "inf" || text == "-inf" || text == "nan") return text;  // JSON has no such numbers
  if (text.empty() || text.find_first_not_of("+-.0123456789eE") != std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0') return std::nullopt;
  return value;
}

std::optional<json> boolean(const std::string& text) {
  if (text != "true" && text != "false") return std::nullopt;
  return text == "true";
}

std::optional<json> one(const YamlNode& node, const std::string& type, bool dtypes) {
  if (node.kind != YamlNode::Kind::scalar) return std::nullopt;
  if (type == "string") return node.text;
  if (node.quoted) return std::nullopt;
  if (type == "bool") return boolean(node.text);
  if (type == "int") {
    if (const auto value = integer(node.text)) return value;
    return dtypes ? dtype_number(node.text) : std::nullopt;
  }
  if (type == "float") return number_from_text(node.text);
  if (type == "scalar") {
    if (const auto value = boolean(node.text)) return value;
    if (const auto value = integer(node.text)) return value;
    return number_from_text(node.text);
  }
  return std::nullopt;
}

/// "ints" is a list of "int".
std::string element_of(const std::string& type) { return type.back() == 's' ? type.substr(0, type.size() - 1) : ""; }

std::optional<json> value_of(const YamlNode& node, const std::string& type, bool dtypes) {
  const std::string element = element_of(type);
  if (element.empty()) return one(node, type, dtypes);
  if (node.kind != YamlNode::Kind::list) return std::nullopt;
  json list = json::array();
  for (const YamlNode& item : node.items) {
    std::optional<json> value = one(item, element, dtypes);
    if (!value) return std::nullopt;
    list.push_back(std::move(*value));
  }
  return list;
}

const char* how_to_write(const std::string& type, bool dtypes) {
  if (type == "bool") return "write true or false";
  if (type == "int" && dtypes) return "write an integer, or the name of a dtype, without quotes";
  if (type == "int") return "write an integer without quotes";
  if (type == "float" || type == "scalar") return "write a number without quotes";
  if (type == "string") return "write a text";
  if (type == "strings") return "write a list of texts: [a, b]";
  if (type == "bools") return "write a list: [true, false]";
  if (type == "block" || type == "blocks") return "omit it: examples cannot contain blocks";
  return "write a list of numbers: [1, 2]";
}

json empty_value(const std::string& type) {
  if (!element_of(type).empty()) return json::array();
  if (type == "string") return "";
  if (type == "bool") return false;
  return 0;
}

}  // namespace

AttrExamples check_attrs(const YamlNode* node, const std::string& op, const OpFact& fact,
                         const std::function<bool(const AttrFact&)>& optional,
                         const std::function<bool(const std::string&)>& reported, const Span& place,
                         Diagnostics& diagnostics) {
  AttrExamples attrs;
  if (node != nullptr && node->kind != YamlNode::Kind::map) {
    wrong_type(*node, "attributes and values", diagnostics, "write {axis: 1}");
    return attrs;
  }
  const std::vector<std::string> known = names_of(fact.attrs);
  std::set<std::string> misspelt;  // the existing attributes that unknown names probably mean
  static const std::vector<YamlNode::Entry> none;
  for (const YamlNode::Entry& entry : node != nullptr ? node->entries : none) {
    const AttrFact* const attr = fact.attr(entry.key);
    if (attr == nullptr) {
      misspelt.insert(closest(entry.key, known));
      if (reported(entry.key)) continue;
      diagnostics.error("unknown-attribute", entry.key_span,
                        "'" + op + "' has no attribute '" + entry.key + "'" + did_you_mean(entry.key, known));
      continue;
    }
    const std::optional<json> value = value_of(entry.value, attr->type, holds_dtype(attr->name));
    if (!value) {
      const Span& span = entry.value.kind == YamlNode::Kind::scalar ? entry.value.span : entry.key_span;
      diagnostics.error("bad-value", span,
                        "attribute '" + attr->name + "' of '" + op + "' is of type '" + attr->type + "'",
                        how_to_write(attr->type, holds_dtype(attr->name)));
      continue;
    }
    attrs[attr->name] = {attr->type, *value, true};
  }
  for (const AttrFact& attr : fact.attrs) {
    const bool named = node != nullptr && node->find(attr.name) != nullptr;
    if (named || attr.extra) continue;
    if (!attr.default_value.is_null()) {
      attrs[attr.name] = {attr.type, attr.default_value, false};
    } else if (optional(attr)) {
      attrs[attr.name] = {attr.type, empty_value(attr.type), false};
    } else if (attr.type != "block" && attr.type != "blocks" && misspelt.count(attr.name) == 0) {
      diagnostics.error("missing-attribute", place,
                        "attribute '" + attr.name + "' (" + attr.type + ") of '" + op + "' has no default",
                        "write it below 'attrs:'");
    }
  }
  return attrs;
}

}  // namespace opgen

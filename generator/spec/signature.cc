#include "generator/spec/signature.h"

#include <algorithm>

#include "generator/diagnostics/text.h"

namespace opgen {
namespace {

using nlohmann::json;

const std::vector<std::string> kSlotTypes = {"tensor", "tensor?", "list", "list?"};
const std::vector<std::string> kAttrTypes = {"bool",   "int",     "float", "string", "ints",
                                             "floats", "strings", "bools", "block"};

std::string trimmed(const std::string& text) {
  const size_t from = text.find_first_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(' ') - from + 1);
}

bool known_type(const Declared& declared, const std::string& type, const std::vector<std::string>& known,
                Diagnostics& diagnostics) {
  if (std::find(known.begin(), known.end(), type) != known.end()) return true;
  std::string help = "the types are " + joined(known);
  const json value = json::parse(type, nullptr, false);
  const char* of_value = value.is_boolean()          ? "bool"
                         : value.is_number_integer() ? "int"
                         : value.is_number()         ? "float"
                         : value.is_array()          ? "ints"
                                                     : nullptr;
  if (of_value != nullptr && &known == &kAttrTypes)
    help = "a default comes behind the type: '" + std::string(of_value) + " = " + type + "'";
  diagnostics.error("unknown-word", span_at(declared.type, 0, std::max<size_t>(1, type.size())),
                    "unknown type '" + type + "'" + did_you_mean(type, known), help);
  return false;
}

std::vector<SlotFact> declared_slots(const std::vector<Declared>& list, Diagnostics& diagnostics) {
  std::vector<SlotFact> slots;
  for (const Declared& declared : list) {
    SlotFact slot;
    slot.name = declared.name.text;
    const std::string& type = declared.type.text;
    if (!known_type(declared, type, kSlotTypes, diagnostics)) continue;
    slot.optional = type.back() == '?';
    slot.list = type.substr(0, 4) == "list";
    slots.push_back(std::move(slot));
  }
  return slots;
}

bool all_are(const json& list, bool (*test)(const json&)) {
  return list.is_array() && std::all_of(list.begin(), list.end(), test);
}

bool fits(const json& value, const std::string& type) {
  const auto is_integer = [](const json& v) { return v.is_number_integer(); };
  const auto is_number = [](const json& v) { return v.is_number(); };
  const auto is_string = [](const json& v) { return v.is_string(); };
  const auto is_bool = [](const json& v) { return v.is_boolean(); };
  if (type == "bool") return is_bool(value);
  if (type == "int") return is_integer(value);
  if (type == "float") return is_number(value);
  if (type == "string") return is_string(value);
  if (type == "ints") return all_are(value, is_integer);
  if (type == "floats") return all_are(value, is_number);
  if (type == "strings") return all_are(value, is_string);
  if (type == "bools") return all_are(value, is_bool);
  return false;
}

AttrFact attr_of(const Declared& declared, Diagnostics& diagnostics) {
  AttrFact attr;
  attr.name = declared.name.text;
  const std::string& text = declared.type.text;
  const size_t equals = text.find('=');
  attr.type = trimmed(text.substr(0, equals));
  if (!known_type(declared, attr.type, kAttrTypes, diagnostics) || equals == std::string::npos) return attr;

  const std::string value = trimmed(text.substr(equals + 1));
  json parsed = json::parse(value, nullptr, false);
  // A word needs no quotes: string = NCHW
  if (attr.type == "string" && !parsed.is_string()) parsed = value;
  if (!fits(parsed, attr.type)) {
    diagnostics.error(
        "bad-default",
        span_at(declared.type, text.find_first_not_of(' ', equals + 1), std::max<size_t>(1, value.size())),
        "'" + value + "' is not a value of type '" + attr.type + "'");
    return attr;
  }
  attr.default_value = std::move(parsed);
  return attr;
}

}  // namespace

std::optional<OpFact> declared_fact(const Signature& signature, Diagnostics& diagnostics) {
  const size_t errors = diagnostics.error_count();
  OpFact fact;
  fact.inputs = declared_slots(signature.inputs, diagnostics);
  fact.outputs = declared_slots(signature.outputs, diagnostics);
  for (const Declared& declared : signature.attrs) fact.attrs.push_back(attr_of(declared, diagnostics));
  if (diagnostics.error_count() > errors) return std::nullopt;
  return fact;
}

}  // namespace opgen

#include "runtime/program/pir_operators.h"

#include <nlohmann/json.hpp>

namespace fluid2onnx {
namespace {

using nlohmann::json;

// Members that have their usual value are left out of the table.
std::string text(const json& entry, const char* key) { return entry.value(key, std::string()); }

AttributeValue constant(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  return value.get<std::string>();
}

PirOperator parse(std::string_view source) {
  const json table = json::parse(source);
  PirOperator op;
  op.fluid = text(table, "fluid");
  for (const json& entry : table.at("operands")) {
    op.operands.push_back({text(entry, "name"), text(entry, "slot"), text(entry, "attr"), text(entry, "list_slot"),
                           text(entry, "cast"), entry.value("names_variable", false), entry.value("is_text", false),
                           entry.value("ignored", false)});
  }
  for (const json& entry : table.at("results")) {
    op.results.push_back(
        {text(entry, "name"), text(entry, "slot"), text(entry, "cast"), entry.value("overwrites", -1)});
  }
  for (const json& entry : table.at("attrs")) {
    op.attrs.push_back({text(entry, "name"), text(entry, "attr"), entry.value("ignored", false)});
  }
  for (const auto& [name, value] : table.at("fixed").items()) op.fixed.push_back({name, constant(value)});
  return op;
}

}  // namespace

const PirOperator* PirOperators::find(std::string_view name) {
  auto found = known_.find(name);
  if (found == known_.end()) {
    const std::string_view source = pir_operator_text(name);
    std::optional<PirOperator> op;
    if (!source.empty()) op = parse(source);
    found = known_.emplace(std::string(name), std::move(op)).first;
  }
  return found->second ? &*found->second : nullptr;
}

}  // namespace fluid2onnx

#include "runtime/graph/kernels.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace fluid2onnx {

extern const char* const kRuntimeFacts;  // the JSON text, embedded by the build

namespace {

using Ranges = std::vector<std::pair<int, int>>;

struct Facts {
  int newest = 0;
  std::map<std::string, Ranges, std::less<>> missing;  // by "op/variable/dtype" or "op/attribute=value/dtype"
};

std::string key_of(std::string_view op, std::string_view variable, std::string_view dtype) {
  std::string key(op);
  key.append("/").append(variable).append("/").append(dtype);
  return key;
}

/// What stands for the type variable in a key where an attribute matters.
std::string condition(std::string_view attribute, std::string_view value) {
  return std::string(attribute).append("=").append(value);
}

void read(const nlohmann::json& dtypes, std::string_view op, std::string_view variable, Facts* facts) {
  for (const auto& [dtype, ranges] : dtypes.items()) {
    for (const auto& range : ranges) {
      facts->missing[key_of(op, variable, dtype)].emplace_back(range.at(0).get<int>(), range.at(1).get<int>());
    }
  }
}

const Facts& facts() {
  static const Facts* loaded = [] {
    auto* f = new Facts();
    const auto json = nlohmann::json::parse(kRuntimeFacts);
    f->newest = json.at("opsets").at(1).get<int>();
    for (const auto& [op, dtypes] : json.at("missing").items()) read(dtypes, op, "", f);
    for (const auto& [op, variables] : json.at("missing_for").items()) {
      for (const auto& [variable, dtypes] : variables.items()) read(dtypes, op, variable, f);
    }
    for (const auto& entry : json.at("missing_when")) {
      const auto text = [&](const char* key) { return entry.at(key).get<std::string>(); };
      read(entry.at("missing"), text("op"), condition(text("attribute"), text("value")), f);
    }
    return f;
  }();
  return *loaded;
}

}  // namespace

bool runtime_lacks(std::string_view op, int opset, std::string_view variable, Dtype dtype) {
  const auto& known = facts();
  const auto found = known.missing.find(key_of(op, variable, dtype_name(dtype)));
  if (found == known.missing.end()) return false;
  const int asked = std::min(opset, known.newest);  // a newer opset is taken to be no worse
  return std::any_of(found->second.begin(), found->second.end(),
                     [asked](const auto& range) { return range.first <= asked && asked <= range.second; });
}

bool runtime_lacks_when(std::string_view op, int opset, std::string_view attribute, std::string_view value,
                        Dtype dtype) {
  return runtime_lacks(op, opset, condition(attribute, value), dtype);
}

}  // namespace fluid2onnx

#include "runtime/onnx/graph/runtime_kernels.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/support/text.h"

namespace fluid2onnx {

extern const char* const kRuntimeFacts;  // the JSON text, embedded by the build

namespace {

using Ranges = std::vector<std::pair<int, int>>;

/// The opsets without a kernel for one dtype of one type variable, or where an attribute has one value.
struct Missing {
  std::string variable;  // or "attribute=value"
  Dtype dtype;
  Ranges opsets;
};

struct Facts {
  int newest = 0;
  std::unordered_map<std::string, std::vector<Missing>, TextHash, std::equal_to<>> missing;  // by operator
};

/// The key of the type variable if an attribute matters.
std::string condition(std::string_view attribute, std::string_view value) {
  return std::string(attribute).append("=").append(value);
}

void read(const nlohmann::json& dtypes, const std::string& op, const std::string& variable, Facts* facts) {
  for (const auto& [name, ranges] : dtypes.items()) {
    const auto dtype = dtype_from_name(name);
    if (!dtype) continue;
    Missing& entry = facts->missing[op].emplace_back(Missing{variable, *dtype, {}});
    for (const auto& range : ranges) entry.opsets.emplace_back(range.at(0).get<int>(), range.at(1).get<int>());
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

/// `applies`: whether an entry is about what is asked.
template <class F>
bool lacks(std::string_view op, int opset, Dtype dtype, F applies) {
  const auto& known = facts();
  const auto found = known.missing.find(op);
  if (found == known.missing.end()) return false;
  const int asked = std::min(opset, known.newest);  // a newer opset is taken to be no worse
  return std::any_of(found->second.begin(), found->second.end(), [&](const Missing& entry) {
    return entry.dtype == dtype && applies(entry.variable) &&
           std::any_of(entry.opsets.begin(), entry.opsets.end(),
                       [asked](const auto& range) { return range.first <= asked && asked <= range.second; });
  });
}

}  // namespace

bool runtime_lacks(std::string_view op, int opset, std::string_view variable, Dtype dtype) {
  return lacks(op, opset, dtype, [variable](std::string_view entry) { return entry == variable; });
}

bool runtime_lacks_when(std::string_view op, int opset, std::string_view attribute, std::string_view value,
                        Dtype dtype) {
  return lacks(op, opset, dtype, [&](std::string_view entry) { return entry == condition(attribute, value); });
}

}  // namespace fluid2onnx

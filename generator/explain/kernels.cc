#include "generator/explain/kernels.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace opgen {

std::string KernelFacts::without_kernel(const std::string& op, int opset) const {
  const auto found = missing.find(op);
  if (found == missing.end()) return "";
  for (const auto& [first, last] : found->second) {
    if (opset < first || opset > last) continue;
    return "ONNX Runtime " + version + " has no kernel of " + op + " for float32 at opsets " + std::to_string(first) +
           " to " + std::to_string(last) + ": another variant is needed there";
  }
  return "";
}

KernelFacts read_kernel_facts(const std::string& root) {
  KernelFacts facts;
  std::ifstream file(root + "/opspecs/facts/onnxruntime.json");
  const nlohmann::json table = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!table.is_object()) return facts;
  facts.version = table.value("version", "");
  const nlohmann::json missing = table.value("missing", nlohmann::json::object());
  for (const auto& [op, dtypes] : missing.items()) {
    if (!dtypes.contains("float32")) continue;
    for (const auto& range : dtypes.at("float32")) {
      facts.missing[op].push_back({range.at(0).get<int>(), range.at(1).get<int>()});
    }
  }
  return facts;
}

}  // namespace opgen

#include "runtime/onnx/graph/schema_registry.h"

#include <onnx/defs/shape_inference.h>

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fluid2onnx {
namespace {

class Registry : public onnx::ISchemaRegistry {
 public:
  Registry() {
    for (const SchemaMaker& maker : schema_makers()) versions_[maker.op][maker.version].make = maker.make;
  }

  const onnx::OpSchema* GetSchema(const std::string& op, int newest, const std::string& domain) const override {
    if (!domain.empty() && domain != "ai.onnx") {
      return onnx::OpSchemaRegistry::Instance()->GetSchema(op, newest, domain);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto versions = versions_.find(op);
    if (versions == versions_.end()) return nullptr;
    const auto above = versions->second.upper_bound(newest);
    if (above == versions->second.begin()) return nullptr;
    Entry& entry = std::prev(above)->second;
    if (!entry.schema) {
      entry.schema = std::make_unique<onnx::OpSchema>(entry.make());
      // ONNX leaves these to the inference of their function bodies, which ends at sizes that are computed.
      if (op == "GroupNormalization" || op == "MeanVarianceNormalization") {
        entry.schema->TypeAndShapeInferenceFunction(onnx::propagateShapeAndTypeFromFirstInput);
      }
      entry.schema->Finalize();
    }
    return entry.schema.get();
  }

 private:
  struct Entry {
    onnx::OpSchema (*make)() = nullptr;
    std::unique_ptr<onnx::OpSchema> schema;
  };
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string_view, std::map<int, Entry>> versions_;
};

}  // namespace

const onnx::ISchemaRegistry& schema_registry() {
  static const auto* registry = new Registry();
  return *registry;
}

}  // namespace fluid2onnx

#include "runtime/onnx/graph/type_table.h"

#include <functional>
#include <string>

#include "runtime/onnx/graph/infer.h"
#include "runtime/support/bits.h"

namespace fluid2onnx {
namespace {

size_t hash_of(const onnx::TypeProto& type) {
  const auto& tensor = type.tensor_type();
  size_t hash = mix_hash(static_cast<size_t>(tensor.elem_type()), tensor.has_shape());
  for (const auto& d : tensor.shape().dim()) {
    hash = mix_hash(hash, d.has_dim_param()   ? std::hash<std::string>()(d.dim_param())
                          : d.has_dim_value() ? static_cast<size_t>(d.dim_value()) + 1
                                              : 0);
  }
  return hash;
}

}  // namespace

const onnx::TypeProto* TypeTable::share(const onnx::TypeProto& type) {
  if (type.value_case() == onnx::TypeProto::VALUE_NOT_SET) return &onnx::TypeProto::default_instance();
  if (!type.has_tensor_type() || type.has_denotation()) return &types_.emplace_back(type);  // rare
  const size_t hash = hash_of(type);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    const bool same = known->second->tensor_type().has_elem_type() == type.tensor_type().has_elem_type();
    if (same && same_type(*known->second, type)) return known->second;
  }
  const onnx::TypeProto* shared = &types_.emplace_back(type);
  by_hash_.emplace(hash, shared);
  return shared;
}

}  // namespace fluid2onnx

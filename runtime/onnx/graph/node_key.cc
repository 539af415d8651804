#include "runtime/onnx/graph/node_key.h"

#include <functional>

#include "runtime/support/bits.h"

namespace fluid2onnx {

bool deterministic(std::string_view op) {
  return op.substr(0, 6) != "Random" && op != "Bernoulli" && op != "Multinomial" && op != "Dropout";
}

std::string node_key(const Node& node) {
  std::string key = node.op_type;
  for (const auto& a : node.attributes) key += "|" + a.SerializeAsString();
  for (const Value v : node.inputs) key += "," + std::to_string(v.id);
  key += ">" + std::to_string(node.outputs.size());  // a Split without sizes parts by their number
  return key;
}

size_t node_hash(const Node& node) {
  size_t hash = std::hash<std::string>()(node.op_type);
  for (const Value v : node.inputs) hash = mix_hash(hash, static_cast<size_t>(v.id));
  return mix_hash(mix_hash(hash, node.attributes.size()), node.outputs.size());
}

}  // namespace fluid2onnx

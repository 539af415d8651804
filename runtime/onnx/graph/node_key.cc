#include "runtime/onnx/graph/node_key.h"

#include <functional>

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
  const auto add = [&](size_t more) { hash = (hash ^ more) * 0x9e3779b97f4a7c15u + (hash >> 29); };
  for (const Value v : node.inputs) add(static_cast<size_t>(v.id));
  add(node.attributes.size());
  add(node.outputs.size());
  return hash;
}

}  // namespace fluid2onnx

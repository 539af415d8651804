#include "runtime/convert/replacements.h"

#include <variant>

#include "runtime/onnx/graph/attributes.h"

namespace fluid2onnx {
namespace {

/// Null if the node does not have the attribute, or has it with another type.
template <class T>
const T* find(const Attrs& attrs, std::string_view name) {
  const AttrValue* value = find_attr(attrs, name);
  return value ? std::get_if<T>(value) : nullptr;
}

template <class T>
T value_or(const Attrs& attrs, std::string_view name, const T& default_value) {
  const T* const value = find<T>(attrs, name);
  return value != nullptr ? *value : default_value;
}

}  // namespace

int64_t ReplacedNode::integer(std::string_view name, int64_t default_value) const {
  return value_or(attrs, name, default_value);
}

double ReplacedNode::floating(std::string_view name, double default_value) const {
  return value_or(attrs, name, default_value);
}

std::string ReplacedNode::string(std::string_view name, const std::string& default_value) const {
  return value_or(attrs, name, default_value);
}

Floats ReplacedNode::floats(std::string_view name) const { return value_or(attrs, name, Floats()); }

Ints ReplacedNode::integers(std::string_view name, size_t operand_index) const {
  if (const Ints* ints = find<Ints>(attrs, name)) return *ints;
  const Value v = operand(operand_index);
  return v ? op.const_ints(v) : Ints();
}

}  // namespace fluid2onnx

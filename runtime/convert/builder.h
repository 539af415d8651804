// An ONNX operator at any opset: the newest version's operands and attributes, and the steps to older versions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "runtime/convert/op_context.h"

namespace fluid2onnx {

namespace adapt {

enum class AttrKind : uint8_t { integer, floating, integers, floats };

/// A step to express an operator in an opset below `since`, which introduced the newer form. It refuses the operator,
/// naming `since`, if the older form cannot express the node.
struct Step {
  enum class Kind : uint8_t {
    operand_was_attr,   ///< the operand becomes an attribute: its elements must be known
    operand_added,      ///< the operand must be absent
    operand_required,   ///< an empty float tensor replaces an absent operand
    attr_added,         ///< the attribute must have its default, and is removed
    attr_renamed,       ///< the attribute gets its old name
    value_added,        ///< the attribute must have another value
    axes_of_operand,    ///< negative axes are counted from the front of the operand's axes
    axes_of_unsqueeze,  ///< the same, of the result's axes
  };
  using Default = std::variant<std::monostate, int64_t, double, std::string_view>;
  Kind kind;
  int since;
  size_t index = 0;
  const char* name = "";
  const char* other = "";  ///< the old name of an attribute, or a value
  AttrKind attr_kind = AttrKind::integer;
  Default default_value = {};
};

constexpr Step operand_was_attr(int since, size_t index, const char* attr, AttrKind kind) {
  return {Step::Kind::operand_was_attr, since, index, attr, "", kind};
}
constexpr Step operand_added(int since, size_t index, const char* name) {
  return {Step::Kind::operand_added, since, index, name};
}
constexpr Step operand_required(int since, size_t index) { return {Step::Kind::operand_required, since, index}; }
/// Without a default, the attribute is a list of ones (dilations).
constexpr Step attr_added(int since, const char* name, Step::Default default_value = {}) {
  return {Step::Kind::attr_added, since, 0, name, "", AttrKind::integer, default_value};
}
constexpr Step attr_renamed(int since, const char* name, const char* old_name) {
  return {Step::Kind::attr_renamed, since, 0, name, old_name};
}
constexpr Step value_added(int since, const char* name, const char* value) {
  return {Step::Kind::value_added, since, 0, name, value};
}
/// Schemas allow negative axes from opset 11 on.
constexpr Step axes_from_front(const char* attr, bool unsqueeze = false) {
  return {unsqueeze ? Step::Kind::axes_of_unsqueeze : Step::Kind::axes_of_operand, 11, 0, attr};
}

}  // namespace adapt

/// Emits nodes that give one result.
class Builder {
 public:
  explicit constexpr Builder(const char* node, std::span<const adapt::Step> steps = {}) : node_(node), steps_(steps) {}
  Value operator()(OpContext& op, Operands in, Attrs attrs = {}) const;

 protected:
  Values emit(OpContext& op, Operands& in, Attrs& attrs, int64_t outputs) const;

 private:
  const char* node_;
  std::span<const adapt::Step> steps_;
};

/// Emits nodes that give several results.
class ListBuilder : private Builder {
 public:
  using Builder::Builder;
  Values operator()(OpContext& op, Operands in, Attrs attrs = {}, int64_t outputs = 1) const;
};

/// The first call of a recipe that no older opset can express.
inline void need_opset(OpContext& op, int lowest) {
  if (op.opset() < lowest) op.refuse_opset(lowest, "'" + op.op_type() + "'");
}

/// Refuses the operator if none of its variants matches.
inline void no_variant(OpContext& op) {
  op.refuse(E_NO_VARIANT, "no variant of the spec matches these attributes, shapes and types");
}

/// The most frequent node in recipes.
extern const Builder Cast;
inline Value cast(OpContext& op, Operand x, Dtype to) { return Cast(op, {std::move(x)}, {{"to", to}}); }

}  // namespace fluid2onnx

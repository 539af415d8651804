// An ONNX operator at any opset: the newest version's operands and attributes, and the steps to older versions.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "runtime/convert/adapt.h"

namespace fluid2onnx {

namespace adapt {

/// One step back, taken below the opset `since`.
struct Step {
  enum class Kind : uint8_t {
    operand_was_attr,
    operand_added,
    operand_required,
    attr_added,
    attr_renamed,
    value_added
  };
  using Default = std::variant<std::monostate, int64_t, double, std::string_view>;
  Kind kind;
  int since;
  size_t index = 0;
  const char* name = "";
  const char* other = "";  ///< the old name of an attribute, or a value
  AttrKind attr_kind = AttrKind::integer;
  Default usual = {};
};

constexpr Step operand_was_attr(int since, size_t index, const char* attr, AttrKind kind) {
  return {Step::Kind::operand_was_attr, since, index, attr, "", kind};
}
constexpr Step operand_added(int since, size_t index, const char* name) {
  return {Step::Kind::operand_added, since, index, name};
}
constexpr Step operand_required(int since, size_t index) { return {Step::Kind::operand_required, since, index}; }
/// `usual`: the default, the only value below `since`.
constexpr Step attr_added(int since, const char* name, Step::Default usual = {}) {
  return {Step::Kind::attr_added, since, 0, name, "", AttrKind::integer, usual};
}
constexpr Step attr_renamed(int since, const char* name, const char* old_name) {
  return {Step::Kind::attr_renamed, since, 0, name, old_name};
}
constexpr Step value_added(int since, const char* name, const char* value) {
  return {Step::Kind::value_added, since, 0, name, value};
}

}  // namespace adapt

/// Emits nodes that give one result.
class Builder {
 public:
  /// `axes`: the attribute whose axes count from the front below opset 11; `unsqueeze`: in the shape of the result.
  explicit constexpr Builder(const char* node, std::span<const adapt::Step> steps = {}, const char* axes = nullptr,
                             bool unsqueeze = false)
      : node_(node), steps_(steps), axes_(axes), unsqueeze_(unsqueeze) {}
  Value operator()(OpContext& op, Operands in, Attrs attrs = {}) const;

 protected:
  Values emit(OpContext& op, Operands& in, Attrs& attrs, int64_t outputs) const;

 private:
  const char* node_;
  std::span<const adapt::Step> steps_;
  const char* axes_;
  bool unsqueeze_;
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

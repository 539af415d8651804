// The slots and attributes of Paddle's operators, from opspecs/facts.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/paddle/program/attribute.h"

namespace fluid2onnx {

/// An operator as opgen renders it, in the notation of read_slots() and of FluidOperatorText::attrs.
struct FluidOperatorText {
  const char* type;
  const char* inputs;  ///< "X Shape? ShapeTensor*?": * a list, ? may be left out
  const char* outputs;
  const char* attrs;   ///< "axis:int=-1 shape:ints=@Shape+ShapeTensor": kind, default, slots that may give it instead
  const char* dtypes;  ///< that the CPU kernel takes; "" when that is not known
};
std::span<const FluidOperatorText> fluid_operator_texts();

struct FluidSlot {
  std::string name;
  bool list = false, optional = false;
};
struct FluidAttr {
  std::string name;
  std::string type;  ///< bool int float string ints floats strings bools scalar scalars block blocks
  std::optional<AttributeValue> default_value;  ///< what Paddle takes when it is not given
  std::string tensor_slot, list_slot;           ///< of tensors that may give it
};
struct FluidOperator {
  std::string type;
  std::vector<FluidSlot> inputs, outputs;
  std::vector<FluidAttr> attrs;
  std::set<Dtype> dtypes;

  const FluidSlot* input(std::string_view name) const;
  const FluidAttr* attr(std::string_view name) const;
};
/// The slots of a text such as "X Shape? ShapeTensor*?".
std::vector<FluidSlot> read_slots(const char* text);
/// The words of a text, which spaces separate.
std::vector<std::string> split_words(const char* text);

/// Null for operators that nothing here emits.
const FluidOperator* find_fluid_operator(std::string_view type);

}  // namespace fluid2onnx

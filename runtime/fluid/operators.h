// What is known of the operators of both sides when ONNX becomes Paddle: the converters of ONNX's, compiled from the
// specs with `onnx:`, and the slots and attributes of Paddle's, from opspecs/facts.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/convert/onnx_converter.h"
#include "runtime/program/attribute.h"

namespace fluid2onnx {

/// All of them, as opgen renders them.
const std::vector<OnnxConverter>& onnx_converters();

struct FluidOperatorText {
  const char* type;
  const char* inputs;  ///< "X Shape? ShapeTensor*?": * a list, ? may be left out, ~ bookkeeping
  const char* outputs;
  const char* attrs;   ///< "axis:int=-1 shape:ints=@Shape+ShapeTensor": kind, default, slots that may give it instead
  const char* dtypes;  ///< that the CPU kernel takes; "" when that is not known
};
std::span<const FluidOperatorText> fluid_operator_texts();

struct FluidSlot {
  std::string name;
  bool list = false, optional = false, extra = false;
};
struct FluidAttr {
  std::string name;
  std::string type;  ///< bool int float string ints floats strings bools scalar scalars block blocks
  std::optional<AttributeValue> default_value;  ///< what Paddle takes when it is not given
  bool param = false;  ///< may be given by tensors: of tensor_slot, list_slot, or the attribute names variables
  std::string tensor_slot, list_slot;
};
struct FluidOperator {
  std::string type;
  std::vector<FluidSlot> inputs, outputs;
  std::vector<FluidAttr> attrs;
  std::set<Dtype> dtypes;

  const FluidSlot* input(std::string_view name) const;
  const FluidAttr* attr(std::string_view name) const;
};
/// Null for operators that nothing here emits.
const FluidOperator* find_fluid_operator(std::string_view type);

/// A converter with its texts taken apart.
struct OnnxOperator {
  const OnnxConverter* converter = nullptr;
  std::vector<FluidSlot> inputs, outputs;
  std::vector<std::pair<std::string, std::string>> older;
};
/// Null if missing, or no operator of that name at this opset.
const OnnxOperator* find_onnx_operator(std::string_view op, int opset);

}  // namespace fluid2onnx

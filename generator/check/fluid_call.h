// Calls of Paddle's operators in the recipes of ONNX's: `fluid.matmul_v2(X, Y, trans_x=true)`.
#pragma once

#include <string>

#include "generator/expr/types.h"
#include "generator/spec/facts.h"

namespace opgen {

/// The type of an attribute in the language; unknown for blocks.
Type attr_type(const AttrFact& fact);

/// An argument of a call, by its name.
struct FluidArgument {
  enum class Kind : uint8_t {
    none,   ///< the operator has no such slot or attribute
    slot,   ///< one tensor
    list,   ///< a list of tensors
    param,  ///< an attribute that tensors may give as well: numbers that may be known only at run time
    attr,
  };
  Kind kind = Kind::none;
  Type type;  ///< of attributes
  const SlotFact* slot = nullptr;
};
FluidArgument fluid_argument(const OpFact& op, const std::string& name);

/// "fluid.matmul_v2" -> "matmul_v2"; empty for other names.
std::string fluid_operator(const std::string& callee);

}  // namespace opgen

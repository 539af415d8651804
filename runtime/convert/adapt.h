// Steps by which the generated builders say an ONNX operator in an older opset than the spec was written for.
//
// Each step is called only below the opset `since` in which the newer form appeared, and refuses the operator,
// naming that opset, when the older form cannot say the same.
#pragma once

#include "runtime/convert/op_context.h"

namespace fluid2onnx::adapt {

/// Operand `index` was an attribute: takes its constant elements out of the operands.
enum class AttrKind : uint8_t { integer, floating, integers, floats };
void operand_to_attr(OpContext& op, Operands& operands, Attrs& attrs, size_t index, const char* attr, AttrKind kind,
                     const char* node, int since);
/// Operand `index` did not exist: it must have been left out.
void no_operand(OpContext& op, Operands& operands, size_t index, const char* name, const char* node, int since);
/// Operand `index` was required: an empty float tensor replaces an absent one.
void empty_operand(OpContext& op, Operands& operands, size_t index);
/// The attribute did not exist: dropped if it has its default (or was not given).
void no_attr(OpContext& op, Attrs& attrs, const char* name, const AttrValue* default_value, const char* node,
             int since);
void rename_attr(Attrs& attrs, const char* name, const char* old_name);
/// The attribute could not have this value.
void no_value(OpContext& op, const Attrs& attrs, const char* name, const char* value, const char* node, int since);
/// Negative axes were not allowed: counts them from the front. `axes`: the attribute's name.
void count_axes_from_front(OpContext& op, const Operands& operands, Attrs& attrs, const char* axes, bool unsqueeze);

}  // namespace fluid2onnx::adapt

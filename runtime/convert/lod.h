// Lengths of sequences, as generated converters read and give them.
#pragma once

#include <string_view>

#include "runtime/convert/op_context.h"

namespace fluid2onnx {

/// The lengths of the sequences of each tensor of a slot at a level; see OpContext::lengths.
Values all_lengths(OpContext& op, std::string_view slot, int64_t level);
/// The number of levels that each tensor of a slot has.
int64_t least_lod_level(OpContext& op, std::string_view slot);
/// The lengths of all levels of a slot's first tensor, outermost first.
Values lod_of(OpContext& op, std::string_view slot);
/// Divides each tensor of an output slot into sequences of one level.
void set_all_lengths(OpContext& op, std::string_view slot, const Values& lengths);

}  // namespace fluid2onnx

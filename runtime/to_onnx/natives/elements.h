// What is known of the elements of tensor arrays. An array whose elements are divided into sequences has arrays beside
// it with the lengths of each element, one for each level.
#pragma once

#include <optional>

#include "runtime/to_onnx/control_flow.h"

namespace fluid2onnx::natives {

/// The elements if they are known one by one. An array that was never written has none.
std::optional<Values> elements_of(BlockContext& context, Value array);
/// The lengths of an array whose elements are not divided into sequences. Refuses unless they are known one by one.
Value no_lengths(BlockContext& context, Value array);

}  // namespace fluid2onnx::natives

// What is known of the signs of numbers in a graph.
#pragma once

#include "runtime/onnx/graph/graph.h"

namespace fluid2onnx {

/// True if no element of the value can be negative: it is a constant, a size, or computed of such.
bool never_negative(const Model& model, Value v);

}  // namespace fluid2onnx

// What an operand is while converting.
#pragma once

#include <optional>

#include "runtime/support/value.h"

namespace fluid2onnx {

/// The constant that an operand is, if all of it is known now and it has no tensor yet.
std::optional<Constant> known_constant(const Operand& operand);

}  // namespace fluid2onnx

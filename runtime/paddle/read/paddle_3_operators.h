#pragma once

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// Converts Paddle 3's programs of the older format to Paddle 2.6's operators, which specs use, by the
/// table that scripts/facts makes of both (opspecs/facts/paddle-3-programs.json). A difference that older programs
/// cannot express and that changes a result is no error; it is stored in Op::refusal.
void adopt_paddle_3_operators(Program& program);

/// The attribute of assign_value for numbers of a dtype ("int64_values"). Real and imaginary parts of complex numbers
/// alternate. Nothing if the dtype cannot represent the numbers.
std::optional<Attribute> values_of_dtype(const Attribute& numbers, Dtype dtype);

}  // namespace fluid2onnx

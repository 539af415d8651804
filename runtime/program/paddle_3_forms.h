#pragma once

#include "runtime/program/program.h"

namespace fluid2onnx {

// Says what Paddle 3 writes in programs of the older format as Paddle 2.6 does, which is how specs are written: by the
// table that scripts/facts makes of both (opspecs/facts/paddle-3-programs.json). What older programs cannot say and
// changes a result is no error; it says so in Op::refusal.
void adopt_paddle_3_forms(Program& program);

// The attribute of assign_value that holds numbers of a dtype ("int64_values"), from numbers of any kind; of complex
// numbers, both parts by turns. Nothing if they cannot be read as that dtype's.
std::optional<Attribute> values_of_dtype(const Attribute& numbers, Dtype dtype);

}  // namespace fluid2onnx

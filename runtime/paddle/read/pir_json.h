#pragma once

#include "runtime/paddle/program/pir_program.h"
#include "runtime/support/mapped_file.h"

namespace fluid2onnx {

/// Reads the JSON of Paddle 3's programs, operator by operator: an operator's JSON takes many times the memory of its
/// structure. Checks syntax and types; pir_translate.h checks that values are defined before use.
/// Errors: E_TRUNCATED, E_BAD_PROGRAM.
PirBlock read_pir_json(const MappedFile& file);

}  // namespace fluid2onnx

#pragma once

#include "runtime/paddle/program/pir_program.h"
#include "runtime/support/mapped_file.h"

namespace fluid2onnx {

// Reads the JSON of Paddle 3's programs, operator by operator: an operator's JSON takes many times the
// memory of its structure. The result is well-formed as JSON and types go; whether its values are defined before
// they are used is for who walks it (pir_translate.h). Errors: E_TRUNCATED, E_BAD_PROGRAM.
PirBlock read_pir_json(const MappedFile& file);

}  // namespace fluid2onnx

#pragma once

#include <memory>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// Reads a ProgramDesc (Paddle 1.x and 2.x; 3.x with PIR switched off): everything but the
/// parameters. Field numbers and meanings: framework.proto. The result keeps what program.h
/// promises. A program without fetch ops is read too; its `outputs` are empty.
/// Errors: E_TRUNCATED, E_BAD_PROGRAM.
Program read_program_desc(const std::shared_ptr<const MappedFile>& file);

}  // namespace fluid2onnx

// The compiler as a library: specs of a repository to lowered form.
#pragma once

#include <string>

#include "generator/check/program.h"
#include "generator/lower/lower.h"

namespace opgen {

/// What the stages made. Each refers to those before it, so it stays where it is.
struct Compiled {
  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  SpecSet specs;
  Facts facts;
  OnnxModel onnx;
  CheckedProgram program;
};

/// Reads, parses and checks what lies below `root`/opspecs. What is wrong with it is in `diagnostics`, sorted.
void compile(const std::string& root, Diagnostics& diagnostics, Compiled* out);
/// Lowers what compile made without errors.
lowered::Program lower(const Compiled& compiled);

}  // namespace opgen

// Everything that opgen writes.
#pragma once

#include <map>
#include <string>

#include "generator/check/program.h"

namespace opgen {

/// Files by path below the output folder ("generated/activation.cc"). Throws std::runtime_error when a template
/// is missing, malformed or names a hole that nothing fills.
std::map<std::string, std::string> render_cpp(const CheckedProgram& program, const OnnxModel& onnx,
                                              const std::string& templates);

}  // namespace opgen

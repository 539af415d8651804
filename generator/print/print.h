// The C++ that opgen writes.
#pragma once

#include <map>
#include <string>

#include "generator/lower/form.h"

namespace opgen {

/// Files by path below the output folder ("generated/activation.cc"). Throws std::runtime_error when a template
/// is missing, malformed or names a hole that nothing fills.
std::map<std::string, std::string> print_cpp(const lowered::Program& program, const OnnxModel& onnx, const Facts& facts,
                                             const std::string& templates);

}  // namespace opgen

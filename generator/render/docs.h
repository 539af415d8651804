// Reference pages from the specs.
#pragma once

#include <map>
#include <string>

#include "generator/check/program.h"

namespace opgen {

/// Files below docs/: the support matrix of both directions, and the list of functions.
std::map<std::string, std::string> render_docs(const CheckedProgram& program, const OnnxModel& onnx, const Facts& facts,
                                               const std::string& templates);

/// "7", "7, 11" when some variants need more, "7 to 12" when the last one ends early.
std::string opsets_text(const OpsetRange& range, const std::vector<CheckedVariant>& variants);

}  // namespace opgen

// Inverted specs: a Paddle operator that is one ONNX node also converts that node.
#pragma once

#include <deque>

#include "generator/check/onnx_model.h"
#include "generator/check/program.h"
#include "generator/spec/facts.h"

namespace opgen {

/// Specs of ONNX's operators from those of Paddle's whose recipe is one node that has each operand and each attribute
/// of both, and nothing else. `written` are operators that have a spec of their own. Of several operators of Paddle 2.6
/// that are the same node the first by name counts; what came with Paddle 3 is not written.
std::deque<OpSpec> derive_onnx(const CheckedProgram& program, const Facts& facts, const OnnxModel& onnx,
                               const std::set<std::string>& written);

}  // namespace opgen

// Which opsets convert a program. Support need not grow with the opset: a new version of an operator may lack what the
// old one had, and ONNX Runtime may lack its kernels.
#pragma once

#include <vector>

#include "runtime/paddle/program/program.h"
#include "runtime/report/convert_options.h"
#include "runtime/report/report.h"
#include "runtime/report/signature.h"

namespace fluid2onnx {

/// False where all problems are the same at any opset.
bool may_convert_elsewhere(const Report& report);

/// Fills `lowest_opset` of the report and its problems: the next newer opset that does, else the next older one. By dry
/// runs, not by what the refusals say, since another form of an operator may do earlier.
void find_lowest_opsets(const Program& program, const ConvertOptions& options, const Signature& signature,
                        Report* report);

/// All opsets at which the program converts, each tried.
std::vector<int> converting_opsets(const Program& program, ConvertOptions options);

}  // namespace fluid2onnx

// Which opsets convert a program. Support need not grow with the opset: a new version of an operator may lack what the
// old one had, and ONNX Runtime may lack its kernels.
#pragma once

#include <vector>

#include "runtime/paddle/program/program.h"
#include "runtime/report/convert_options.h"
#include "runtime/report/report.h"
#include "runtime/report/signature.h"

namespace fluid2onnx {

/// False if all problems are the same at any opset.
bool may_convert_elsewhere(const Report& report);

/// Sets `working_opset` of the report and its problems to the next newer opset that works, else to the next older one.
/// It converts at each opset: the opset in a refusal is that of one decomposition, and another may need a lower one.
void find_working_opsets(const Program& program, const ConvertOptions& options, const Signature& signature,
                         Report* report);

/// All opsets at which the program converts, each tried.
std::vector<int> converting_opsets(const Program& program, ConvertOptions options);

}  // namespace fluid2onnx

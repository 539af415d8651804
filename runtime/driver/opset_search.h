// Which opset an operator that was refused would need.
#pragma once

#include "runtime/driver/convert_options.h"
#include "runtime/driver/report.h"
#include "runtime/driver/signature.h"
#include "runtime/program/program.h"

namespace fluid2onnx {

/// Fills `lowest_opset` of the report and its problems: by dry runs at newer opsets, not by what the refusals say,
/// since another form of an operator may do earlier.
void find_lowest_opsets(const Program& program, const ConvertOptions& options, const Signature& signature,
                        Report* report);

}  // namespace fluid2onnx

// Converts a Program to an ONNX model in memory.
#pragma once

#include <functional>
#include <memory>

#include "runtime/onnx/graph/graph.h"
#include "runtime/paddle/program/program.h"
#include "runtime/report/convert_options.h"
#include "runtime/report/report.h"

namespace fluid2onnx {

struct ConvertResult {
  std::unique_ptr<Model> model;  ///< complete; null if there are problems
  Report report;                 ///< without the members about files and time
};

/// The report lists all operators that cannot be converted. Throws for options that do not fit the program (names,
/// shapes, opset): E_USAGE, E_UNSUPPORTED, E_BAD_PROGRAM.
ConvertResult convert_model(const Program& program, const ConvertOptions& options = {});

/// The same for a program that is not needed afterwards. It is freed during conversion, to make room for the graph.
/// To try other opsets, it is read again.
ConvertResult convert_model(Program&& program, const ConvertOptions& options,
                            const std::function<Program()>& read_again);

}  // namespace fluid2onnx

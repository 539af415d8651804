// Converts an ONNX model to a Paddle program in memory.
#pragma once

#include <string>
#include <vector>

#include "runtime/onnx/read/open_model.h"
#include "runtime/report/file_options.h"
#include "runtime/report/report.h"
#include "runtime/to_paddle/program_builder.h"

namespace fluid2onnx {

class OnnxConversion {
 public:
  /// Reads the model and gives it the inputs and outputs that the options ask for. Errors: those of open_onnx; E_USAGE.
  OnnxConversion(const std::string& model, const ConvertOptions& options, const FileOptions& files);

  /// Converts the model and fills the report, except for the members about written files.
  void run();

  const FluidModel& made() { return builder_.result(); }
  /// Nodes of the main graph that fail; ascending.
  const std::vector<int>& failing() const { return failing_; }

  OnnxFile onnx;
  Report report;

 private:
  /// The operators, inputs and outputs of the program.
  void emit();
  /// Removes unused operators, and reports the program.
  void report_program();

  const ConvertOptions& options_;
  ProgramBuilder builder_;
  std::vector<int> failing_;
};

/// Gives options that do not apply to ONNX models their defaults, or refuses them (E_USAGE).
void reset_inapplicable(ConvertOptions* options, FileOptions* files, bool refuse);

/// An input or output as the file declares it.
Port port_of(const onnx::ValueInfoProto& value);

}  // namespace fluid2onnx

// What goes into the ONNX model and what comes out of it: the program's own ports, or the cut points and shapes that
// the user asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/paddle/program/program.h"
#include "runtime/report/convert_options.h"

namespace fluid2onnx {

struct Port {
  std::string variable;  ///< of the main block
  std::string name;      ///< in the ONNX model
  Dtype dtype = Dtype::undefined;
  std::optional<InputShape> dims;  ///< unknown dims have names; nothing: the rank is not known
  bool cut = false;                ///< the model computes the variable, but the user gives it
  /// Of rows that are divided into sequences: the inputs or outputs with their lengths, outermost first.
  std::vector<std::string> lengths{};
};

struct Signature {
  std::vector<Port> inputs;
  /// dtype and dims are the program's hints, which may be wrong.
  std::vector<Port> outputs;
  std::vector<std::string> warnings;
  int named_dims = 0;  ///< of the inputs, that is, whose names are given by name_dims()
};

/// Errors: E_USAGE (names that the model does not have, shapes that do not fit), E_UNSUPPORTED (ports that are no
/// tensors).
Signature plan_signature(const Program& program, const ConvertOptions& options);

/// Gives unknown dims without a name one: "x.0", or the options' prefix and the next number from `named` on.
void name_dims(const ConvertOptions& options, Port* port, int* named);

/// "float32[batch, 3, 224, 224]"; "float32 of unknown rank".
std::string port_text(const Port& port);

/// ", sequences by words.lengths"; "" of what is not divided into sequences.
std::string lengths_text(const Port& port);

}  // namespace fluid2onnx

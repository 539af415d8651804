// Why an operator could not be converted. All problems of a model are collected.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/support/error_code.h"

namespace fluid2onnx {

struct Problem {
  ErrorCode code = E_INTERNAL;
  std::string message;   ///< what, without the place
  std::string hint;      ///< what to do; may be empty
  int lowest_opset = 0;  ///< the next opset at which the operator converts; 0: none helps, or it is not known

  /// It follows another refused operator, whose result types are only those that the program declares. It may vanish
  /// with that refusal.
  bool behind = false;

  std::string spec;  ///< lines of a spec that was given at run time: "my.yaml:12"; outermost first; may be empty

  // The place.
  int32_t block = 0;
  int32_t index = 0;  ///< of the op in its block; -1: an output of the model that no operator writes
  std::string op_type;
  std::string output;    ///< its first output variable, or the output
  std::string source;    ///< the user's line, "net.py:12 in forward", or the name of a node; may be empty
  bool in_onnx = false;  ///< of an ONNX file: `index` is that of a node, `block` how deep its graph lies within others

  /// The program has an operator that no spec names.
  bool unsupported() const { return code == E_UNSUPPORTED_OP; }

  /// "output 'x'", or "block 0, op 12 'conv2d' of 'conv2d_0.tmp_0' (net.py:12 in forward)", or "node 12 'Conv' of 'y'"
  std::string place() const;
};

/// All of them for people: operators that are not supported first, by type with counts and lines, then the others by
/// message. Ends with a newline unless empty. `lowest_opset`: at which the whole model converts, or 0.
std::string problems_text(const std::vector<Problem>& problems, int opset, int lowest_opset);

}  // namespace fluid2onnx

// A reason why a model cannot be converted. A report lists all problems of the model.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "runtime/support/error_code.h"

namespace fluid2onnx {

struct Problem {
  ErrorCode code = E_INTERNAL;
  std::string message = {};  ///< the error, without the location
  std::string hint = {};     ///< what to do; may be empty
  /// The next newer opset at which the operator converts, else the next older one; 0: none, or unknown.
  int working_opset = 0;
  /// True if an operand is the result of a failed operator. Its type comes from the program's declaration, which can
  /// be the cause of this problem.
  bool behind = false;

  std::string spec = {};  ///< lines in a spec of --spec, outermost first: "my.yaml:12"; may be empty
  /// The location.
  int32_t block = 0;
  int32_t index = 0;  ///< of the op in its block; -1: an output of the model that no operator writes
  std::string op_type = {};
  std::string output = {};  ///< the first output variable of the operator, or the output of the model
  std::string source = {};  ///< the user's line, "net.py:12 in forward", or the name of a node; may be empty
  bool in_onnx = false;     ///< for an ONNX file: `index` is the node's, `block` is the nesting depth of its graph

  /// True if the operator has no spec.
  bool unsupported() const { return code == E_UNSUPPORTED_OP; }

  /// "block 0, op 12", or "node 12"
  std::string position() const;
  /// "output 'x'", or "block 0, op 12 'conv2d' of 'conv2d_0.tmp_0' (net.py:12 in forward)", or "node 12 'Conv' of 'y'"
  std::string place() const;
};

/// Code, message, hint and opset of an Error or Refused; E_INTERNAL of another exception.
Problem problem_of(const std::exception& reason);

}  // namespace fluid2onnx

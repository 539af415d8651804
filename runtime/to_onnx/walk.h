// Visits the operators that the wanted variables need, in program order, and releases those that are converted.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/paddle/program/needed_ops.h"
#include "runtime/report/convert_options.h"
#include "runtime/to_onnx/releasable_program.h"
#include "runtime/to_onnx/scope.h"

namespace fluid2onnx {

class Walk {
 public:
  /// Converts the operator at a position of its block. True if it is deferred: then the walk
  /// releases nothing, because a deferred operator reads its operands later.
  using Convert = std::function<bool(const std::vector<NeededOp>& ops, size_t position, Scope& scope)>;

  /// `program` and `progress` must outlive the walk.
  Walk(ReleasableProgram& program, Convert convert, const Progress& progress)
      : program_(program), convert_(std::move(convert)), progress_(progress) {}

  /// Converts the operators of the main block that `wanted` needs. Writes to `kept` variables are ignored.
  /// Releases converted operators, and the variables that no later operator reads.
  void run_main(Scope& scope, const NameSet& wanted, const NameSet& kept);
  /// The same for another block, whose operators are not released.
  void run(int32_t block, Scope& scope, const NameSet& wanted, const NameSet& kept);

 private:
  std::vector<NeededOp>& list(int32_t block, const NameSet& wanted, const NameSet& kept);
  void release(NeededOp& live, Scope& scope, const NameSet& wanted);

  ReleasableProgram& program_;
  const Convert convert_;
  const Progress& progress_;
  bool any_deferred_ = false;                                   // some operator is or was deferred
  std::vector<std::unique_ptr<std::vector<NeededOp>>> listed_;  // deferred operators point into these
};

}  // namespace fluid2onnx

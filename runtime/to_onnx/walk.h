// The order of conversion: the next operator, and the release of operators that are not needed any more.
//
// The walk converts nothing itself: it calls back for each operator that the wanted variables need.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/paddle/program/liveness.h"
#include "runtime/report/convert_options.h"
#include "runtime/to_onnx/releasable_program.h"
#include "runtime/to_onnx/scope.h"

namespace fluid2onnx {

class Walk {
 public:
  /// Converts the operator at a position of its block. True if it has to be converted later: then nothing that it may
  /// read is released.
  using Convert = std::function<bool(const std::vector<LiveOp>& ops, size_t position, Scope& scope)>;

  /// `program` and `progress` outlive the walk.
  Walk(ReleasableProgram& program, Convert convert, const Progress& progress)
      : program_(program), convert_(std::move(convert)), progress_(progress) {}

  /// Converts the operators of the main block that `wanted` needs. Writes to variables that are `kept` do not count.
  /// Releases operators after their conversion, and the variables that no later operator reads.
  void run_main(Scope& scope, const NameSet& wanted, const NameSet& kept);
  /// The same for another block. Its operators are kept.
  void run(int32_t block, Scope& scope, const NameSet& wanted, const NameSet& kept);

 private:
  std::vector<LiveOp>& list(int32_t block, const NameSet& wanted, const NameSet& kept);
  void release(LiveOp& live, Scope& scope, const NameSet& wanted);

  ReleasableProgram& program_;
  const Convert convert_;
  const Progress& progress_;
  bool any_postponed_ = false;                                // some operator will be converted later, or was
  std::vector<std::unique_ptr<std::vector<LiveOp>>> listed_;  // postponed operators point into these
};

}  // namespace fluid2onnx

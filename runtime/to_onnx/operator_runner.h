// Converts one operator: runs its converter, then binds the results or reports the failure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runtime/to_onnx/control_flow.h"
#include "runtime/to_onnx/converter_lookup.h"
#include "runtime/to_onnx/problems.h"

namespace fluid2onnx {

class OperatorRunner {
 public:
  using RunBlock = std::function<void(int32_t block, Scope& scope, const NameSet& wanted)>;

  /// All arguments must outlive the runner.
  OperatorRunner(const Program& program, const ConvertOptions& options, Emitter& emitter, Binder& binder,
                 const OutputNames& outputs, Problems& problems, RunBlock run_block);
  OperatorRunner(const OperatorRunner&) = delete;
  OperatorRunner& operator=(const OperatorRunner&) = delete;

  /// Converts the operator at a position of its block. After a failure, which it reports, the results are
  /// placeholders. True if the operator is deferred.
  bool convert(const std::vector<NeededOp>& ops, size_t position, Scope& scope);

  /// How many operators of each type were converted.
  const std::map<std::string, int64_t>& counts() const { return counts_.by_type(); }

 private:
  struct Task {
    const NeededOp& live;
    const std::vector<NeededOp>& ops;  ///< all of its block
    size_t index;                      ///< of `live` in `ops`
    Scope &from, &to;                  ///< of operands and results
    Deferred* deferred = nullptr;      ///< set if it was deferred before
  };
  enum class Outcome { converted, deferred, failed };

  bool convert(const Task& task);
  /// Reports a failure, and makes the graph current that was current before.
  Outcome convert_with(const FoundConverter& found, const Task& task);
  void run(const FoundConverter& found, const NeededOp& live, BlockContext& context, std::string* lines);
  void emit_as_custom_node(const FoundConverter& found, const Op& op, BlockContext& context);
  void bind_results(const FoundConverter& found, const Task& task, const BlockContext& context, bool tainted);

  const Program& program_;
  const bool any_complex_;
  Emitter& emitter_;
  Binder& binder_;
  const OutputNames& outputs_;
  Problems& problems_;
  ConverterLookup lookup_;
  OperatorCounts counts_;
  TargetChoice target_;
  const ControlFlow flow_;
};

}  // namespace fluid2onnx

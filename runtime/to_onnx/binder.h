// Binds the slots of operators to values of the graph, and results to variables.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/onnx/graph/emitter.h"
#include "runtime/paddle/program/liveness.h"
#include "runtime/paddle/program/program.h"
#include "runtime/to_onnx/parameters.h"
#include "runtime/to_onnx/scope.h"

namespace fluid2onnx {

class Binder {
 public:
  /// Both outlive the binder.
  Binder(const Program& program, Emitter& emitter)
      : program_(program), emitter_(emitter), parameters_(emitter.model()) {}

  // -- variables -----------------------------------------------------------------------------------------
  /// Gives a variable a value that is there before any operator runs.
  void set_input(Scope& scope, const std::string& variable, Value value, Lod lod);
  /// The variable keeps the value that it has now, despite later writes.
  void keep(const std::string& variable) { kept_.insert(variable); }
  const NameSet& kept() const { return kept_; }
  /// Replaces the kept variables, and returns those of before.
  NameSet exchange_kept(NameSet kept) { return std::exchange(kept_, std::move(kept)); }

  // -- operands ------------------------------------------------------------------------------------------
  /// What a variable holds; null if nothing. Parameters enter the graph, and postponed operators are converted, at the
  /// first call for them.
  const Binding* resolve(Scope& scope, const std::string& name);
  /// The value as an operand of the operator. Refuses a variable without a value.
  Value operand(const Op& op, Scope& scope, const std::string& name);
  Lod operand_lod(const Op& op, Scope& scope, const std::string& name);
  /// The ONNX sequence of a tensor array that is held as rows of steps: a tensor, and as its LoD where the rows of each
  /// element begin and end. Absent if the variable holds anything else.
  Value sequence_of(const Op& op, const std::string& name, const Binding& binding);

  // -- results -------------------------------------------------------------------------------------------
  /// Common to all results of an operator.
  struct Results {
    bool tainted = false;
    bool undefined = false;
    bool sized = false;  ///< inference is completed by the sizes that the program declares
  };
  /// Those of an operator whose operands are in `from`.
  Results results_of(const Op& op, const Scope& from, bool tainted) const;
  void bind(const Op& op, Scope& to, const std::string& name, Value value, Lod lod, const Results& results);
  /// The LoD that a result has of an operand.
  Lod passed_lod(const Op& op, std::string_view slot, size_t index, Value result, const Scope& scope) const;
  /// Gives the results of an operator that failed values of the types that the program declares.
  void bind_placeholders(const LiveOp& live, Scope& scope);
  /// True if the rank of a value is only the one that the program declares.
  bool has_declared_rank(Value value) const { return declared_ranks_.count(value.id) != 0; }

 private:
  bool holds_steps(const Op& op, const std::string& name, const Binding& binding) const;
  /// Gives a result of unknown rank the one that the program declares.
  void add_rank(const Op& op, const std::string& name, Value value);

  const Program& program_;
  Emitter& emitter_;
  GraphParameters parameters_;
  NameSet kept_;
  std::set<int32_t> declared_ranks_;
  bool any_lod_ = false;  // some value so far is divided into sequences
};

}  // namespace fluid2onnx

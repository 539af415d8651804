// Binds the slots of operators to values of the graph, and results to variables.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/onnx/graph/emitter.h"
#include "runtime/paddle/program/needed_ops.h"
#include "runtime/paddle/program/program.h"
#include "runtime/to_onnx/parameters.h"
#include "runtime/to_onnx/scope.h"

namespace fluid2onnx {

class Binder {
 public:
  /// Both arguments must outlive the binder.
  Binder(const Program& program, Emitter& emitter)
      : program_(program), emitter_(emitter), parameters_(emitter.model()) {}

  // -- variables -----------------------------------------------------------------------------------------
  /// Binds a variable that has a value before any operator runs.
  void set_input(Scope& scope, const std::string& variable, Value value, Lod lod);
  /// Later writes do not change the variable's value.
  void keep(const std::string& variable) { kept_.insert(variable); }
  const NameSet& kept() const { return kept_; }
  /// Replaces the set of kept variables, and returns the previous set.
  NameSet exchange_kept(NameSet kept) { return std::exchange(kept_, std::move(kept)); }

  // -- operands ------------------------------------------------------------------------------------------
  /// The binding of a variable, or null. The first call adds a parameter to the graph, or converts the deferred
  /// operator that writes the variable.
  const Binding* resolve(Scope& scope, const std::string& name);
  /// The value as an operand of the operator. Refuses a variable without a value.
  Value operand(const Op& op, Scope& scope, const std::string& name);
  Lod operand_lod(const Op& op, Scope& scope, const std::string& name);
  /// The ONNX sequence of a tensor array that is stored as the rows of one tensor. The LoD of that tensor has the
  /// begins and the ends of the elements' rows. Null if the variable holds anything else.
  Value sequence_of(const Op& op, const std::string& name, const Binding& binding);

  // -- results -------------------------------------------------------------------------------------------
  /// Common to all results of an operator.
  struct Results {
    bool tainted = false;
    bool undefined = false;
    bool sized = false;  ///< sizes that the program declares complete the inferred shapes
  };
  /// The properties of the results of an operator with operands in `from`.
  Results results_of(const Op& op, const Scope& from, bool tainted) const;
  void bind(const Op& op, Scope& to, const std::string& name, Value value, Lod lod, const Results& results);
  /// The LoD that a result inherits from an operand; empty without one.
  Lod passed_lod(const Op& op, std::string_view slot, size_t index, Value result, const Scope& scope) const;
  /// Binds the results of a failed operator to new values of the types that the program declares.
  void bind_placeholders(const NeededOp& live, Scope& scope);
  /// Paddle 2 has no operator that creates an array: a declared array is empty until the first write. Absent if no
  /// array of a known dtype is declared.
  Value empty_array(const Op& op, const std::string& name);
  /// True if the rank of a value comes from the program's declaration, not from inference.
  bool has_declared_rank(Value value) const { return declared_ranks_.count(value.id) != 0; }

 private:
  bool holds_steps(const Op& op, const std::string& name, const Binding& binding) const;
  /// Sets the rank of a result to the declared one, if inference does not know it.
  void add_rank(const Op& op, const std::string& name, Value value);

  const Program& program_;
  Emitter& emitter_;
  GraphParameters parameters_;
  NameSet kept_;
  std::set<int32_t> declared_ranks_;
  bool any_lod_ = false;  // some value so far has LoD
};

}  // namespace fluid2onnx

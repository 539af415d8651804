// Walks the blocks of a program in order of execution and converts what is wanted.
//
// Nothing stops at the first problem. What a failed operator should have written becomes a placeholder of the declared
// dtype and shape, so that the operators after it are still tried.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/onnx/graph/emitter.h"
#include "runtime/paddle/program/liveness.h"
#include "runtime/paddle/program/program.h"
#include "runtime/report/convert_options.h"
#include "runtime/report/report.h"
#include "runtime/support/problem.h"
#include "runtime/support/refused.h"
#include "runtime/to_onnx/scope.h"

namespace fluid2onnx {

class BlockContext;

/// The state of a variable of a conditional block until it is read.
struct Postponed {
  const LiveOp* op = nullptr;
  Scope scope;            ///< the variables that the operator may read, as they were when it should have run
  Scope* home = nullptr;  ///< where it should have run
  bool tainted = false;
  /// For select_input: what it made of this operator and its opposite, by the mask and the two variables.
  std::map<std::tuple<int32_t, std::string, std::string>, Held> joined;
};

class Walker {
 public:
  /// `given_up`, if not null, is the program: of its main block goes what is converted and not needed any more.
  Walker(const Program& program, const ConvertOptions& options, Emitter& emitter, Program* given_up = nullptr);
  ~Walker();

  /// The variable's values get this name in the ONNX graph: the last one that the main block writes.
  void show_as(const std::string& variable, const std::string& name);

  /// Variables that keep the value that the main scope has now, despite later writes.
  void keep(const std::string& variable) { kept_.insert(variable); }

  /// Gives a variable a value that is there before any operator runs.
  void set_input(Scope& scope, const std::string& variable, Value value, Lod lod);

  /// Converts the operators of the main block that `wanted` needs.
  void run_main(Scope& scope, const NameSet& wanted);

  /// The value of a variable. Parameters enter the graph, and postponed operators are converted, when first asked for.
  /// Null when the variable has none.
  const Binding* resolve(Scope& scope, const std::string& name);

  /// Makes the reason why a variable cannot be an output a problem of the operator that wrote it last, if any did.
  void refuse_output(const std::string& variable, const Refused& reason);

  const std::vector<Problem>& problems() const { return problems_; }
  const std::vector<CustomNode>& custom_nodes() const { return custom_nodes_; }
  /// True if the rank of a value is what the program declares, without another source.
  bool has_declared_rank(Value value) const { return declared_ranks_.count(value.id) != 0; }
  /// How many operators of each type were converted.
  const std::map<std::string, int64_t>& operators() const { return operators_; }

 private:
  /// What an operator is converted by: what the user asks for, a spec that was added, or a built-in one.
  struct Found {
    const AddedConverter* added = nullptr;
    const ConverterInfo* built_in = nullptr;
    const CustomOp* custom = nullptr;        ///< it is left to the runtime
    std::string why;                         ///< that is so
    std::vector<std::string_view> required;  ///< slots of a built-in one that must hold a tensor

    explicit operator bool() const { return added || built_in || custom; }
    /// Whether it knows what to do with complex numbers there.
    bool takes_complex_in(const std::string& op, const std::string& slot) const;
    void run(OpContext& op, std::string* lines) const;
  };
  /// Looked up once for each type.
  const Found& find(const std::string& op);
  static std::string bug_hint(const Found& found);

  friend class BlockContext;

  void run(int32_t block, Scope& scope, const NameSet& wanted);
  void count(const Op& op);
  void convert(const std::vector<LiveOp>& ops, size_t position, Scope& scope);
  /// Forgets an operator of the main block that is converted, and the variables that no operator after it has.
  void let_go(LiveOp& live, Scope& scope);
  /// Runs the converter with operands from `from`; what it writes goes to `to`. `postponed`: null the first time.
  void convert_in(const LiveOp& live, const std::vector<LiveOp>& ops, size_t position, Scope& from, Scope& to,
                  Postponed* postponed);
  /// False after a failure, whose traces are removed.
  bool convert_with(const Found& found, const LiveOp& live, const std::vector<LiveOp>& ops, size_t position,
                    Scope& from, Scope& to, Postponed* postponed);
  void force(const std::shared_ptr<Postponed>& postponed);
  /// Whose fault a failure is.
  enum class Fault { own, behind, inside };  ///< the operator's; perhaps that of an operator before it, or inside it
  struct Reason {
    ErrorCode code;
    std::string message;
    std::string hint = {};
    int lowest_opset = 0;
    std::string spec = {};
  };
  void fail(const Op& op, Reason reason, Fault fault, bool must_fail = false);
  /// Remembers a result that a spec given at run time makes of another dtype than the program declares, and tells of
  /// one among the operands of what fails.
  void note_dtype(const Op& op, const std::string& name, Value value, const AddedConverter& added);
  std::string retyped(const Op& op) const;
  /// The converter of an operator that is left to the runtime.
  void leave(const Op& op, const Found& found, OpContext& context);
  /// Of a result whose rank inference does not find, the rank that the program declares.
  void add_rank(const Op& op, const std::string& name, Value value);
  /// Of a result whose sizes inference does not find, those that the program declares.
  void add_sizes(const Op& op, const std::string& name, Value value);
  /// The LoD that a result has of an operand.
  Lod passed_lod(const Op& op, std::string_view slot, size_t index, Value result, const Scope& scope) const;
  void write_placeholders(const LiveOp& live, Scope& scope);
  std::string display(const Op& op, const std::string& name) const;
  bool reads_tainted(const Op& op, Scope& scope);
  /// The ONNX sequence of a tensor array that is held as rows of steps: a tensor, and as its LoD where the rows of each
  /// element begin and end. Absent if the variable holds anything else.
  Value array_of(const Op& op, const std::string& name, const Binding& binding);
  bool holds_steps(const Op& op, const std::string& name, const Binding& binding) const;
  /// Refuses complex operands that the converter does not expect.
  void check_complex(const Op& op, const Found& found) const;
  /// Refuses an operator that lacks an operand, whichever form of the recipe would read it.
  static void check_operands(const Op& op, const Found& found);

  const Program& program_;
  Program* const given_up_;
  const ConvertOptions& options_;
  Emitter& emitter_;
  std::unordered_map<std::string, Found> found_;  // by type
  const bool any_complex_;
  bool any_postponed_ = false;  ///< some operator will be converted later, or was
  bool any_lod_ = false;        ///< some value so far is divided into sequences
  NameSet kept_;
  std::map<std::string, std::string> shown_;  // variable -> name
  std::set<std::string> shown_names_;
  std::map<std::string, const Op*> last_writer_;  // of shown variables
  struct Entered {
    Value value;
    std::string name;
  };
  Entered& enter(const Parameter& parameter);
  int64_t parameters_read_ = 0;
  std::map<std::string, Entered, std::less<>> parameters_;
  std::vector<std::unique_ptr<std::vector<LiveOp>>> live_;  // postponed operators point into these

  std::set<int32_t> declared_ranks_;
  std::vector<Problem> problems_;
  std::set<std::pair<int32_t, int32_t>> failed_;  // block and index: bodies of loops are walked more than once
  int64_t failures_ = 0;                          // reported or not
  std::vector<CustomNode> custom_nodes_;
  std::map<std::string, std::string, std::less<>> retyped_;  ///< by variable: the warning about it
  std::string left_;  ///< why the operator that failed just now is to be left to the runtime; "": it is not
  std::map<std::string, int64_t> operators_;
  std::vector<std::vector<bool>> counted_;  // by block and index
};

}  // namespace fluid2onnx

// Builds a Paddle program from operators.
//
// Each emitted operator is also converted to ONNX in a scratch model, which supplies dtype, shape and constants. Values
// that exist only there (arithmetic on shapes, for example) become Paddle operators when a variable needs them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/convert/graph_context.h"
#include "runtime/onnx/graph/emitter.h"
#include "runtime/paddle/program/program.h"
#include "runtime/to_paddle/kernel_dtypes.h"
#include "runtime/to_paddle/onnx_operators.h"

namespace fluid2onnx {

/// What is written.
struct FluidModel {
  Program program;
  std::map<std::string, Tensor> weights;  ///< by variable
};

/// Names that every program uses: no input, output or result can have them.
inline constexpr std::string_view kPortVariables[] = {"feed", "fetch"};

class ProgramBuilder {
 public:
  /// Makes a node of the scratch model operators of the program, and gives the values of its results.
  using ConvertNode = std::function<Values(const Node& node)>;

  ProgramBuilder();

  Emitter& emitter() { return emitter_; }
  Model& model() { return model_; }
  FluidModel& result() { return result_; }
  void set_convert_node(ConvertNode convert) { convert_node_ = std::move(convert); }
  /// Refuses operators whose operands do not fit each other (E_SHAPE), because the user gave the sizes. Otherwise
  /// Paddle reports them.
  void refuse_misfits() { refuses_misfits_ = true; }

  // -- variables -----------------------------------------------------------------------------------------
  /// The variable that holds a value where operators are emitted now.
  std::string variable(Value v);
  /// From here on the variable holds the value, in the current block and those within it.
  void bind(const std::string& variable, Value v);
  /// The variable holds something else now.
  void unbind(Value v);
  /// Whether a variable holds the value where operators are emitted now.
  bool is_bound(Value v) const { return !find(v).empty(); }
  /// What is known of the value's shape by now, for its variable of the current block that was declared without one.
  void declare_shape(Value v);
  /// A new variable of the current block, of the value's type; not bound.
  std::string new_variable(std::string_view hint, Value like);
  /// A name that no variable has.
  std::string free_name(std::string_view hint);
  /// The same for an array: Paddle's tensor_array_to_tensor calls the elements by the array's name and a number.
  std::string free_array_name(std::string_view hint);
  /// Declares a variable of the current block, of the value's type; not bound.
  void declare(const std::string& name, Value like);
  /// The same where no value is.
  void declare(const std::string& name, VariableKind kind, Dtype dtype = Dtype::undefined,
               std::optional<Shape> dims = std::nullopt);
  /// Gives the variables of values these names, as far as only operators of the current block since `first` know them.
  void rename(const std::vector<std::pair<Value, std::string>>& names, size_t first);

  // -- operators -----------------------------------------------------------------------------------------
  size_t op_count() const { return result_.program.blocks[frames_.back().block].ops.size(); }
  /// Appends an operator as it is, without a counterpart in the scratch model.
  void append(Op op);
  /// As OpContext::fluid; `context` makes tensors of operands, and refuses.
  Values emit(GraphContext& context, std::string_view type, const FluidOperands& operands, const Attrs& attrs,
              int64_t results);

  // -- blocks --------------------------------------------------------------------------------------------
  /// Begins a block within the current one.
  int32_t enter();
  /// Back to the block around, whose operators follow.
  void leave();
  /// Forgets the last block, which is closed, and all within it.
  void drop_blocks(size_t count) { result_.program.blocks.resize(count); }
  /// The number of open blocks; leave_to() closes those above it after a failure.
  size_t depth() const { return frames_.size(); }
  void leave_to(size_t depth) { frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(depth), frames_.end()); }
  /// Forgets variables of values from this one on, which the scratch model has rolled back: others get their ids.
  void forget_from(Value first);
  int32_t current() const { return static_cast<int32_t>(frames_.back().block); }

 private:
  struct Frame {
    size_t block;
    std::unordered_map<int32_t, std::string> names;             // by id of the value
    std::unordered_map<std::string, std::vector<int32_t>> ids;  // by variable: those that had it at some time
    std::unordered_map<int32_t, Value> lifted;                  // by id: the number as a vector of one

    void bind(Value v, const std::string& variable) {
      if (names.emplace(v.id, variable).second) ids[variable].push_back(v.id);
    }
  };

  Block& block() { return result_.program.blocks[frames_.back().block]; }
  void make_operands(Value v);
  std::string constant_variable(Value v, const Tensor& tensor);
  /// A tensor without axes as one with one, which is made once in a block and those within it.
  Value lifted(GraphContext& context, Value v);
  std::string find(Value v) const;
  Value cast(GraphContext& context, Value v, Dtype from, Dtype to);
  /// The operator, without results.
  Op make(GraphContext& context, const FluidOperator& known, const FluidOperands& operands, const Attrs& attrs,
          const KernelDtypes& dtypes);
  /// Gives it variables for results, and returns those of the first `results`.
  std::vector<std::string> add_outputs(const FluidOperator& known, int64_t results, Op* op);
  /// True if constants take the operator's place.
  bool replaced_by(const Op& op, const Values& results) const;
  /// Declares and binds the variables of its results. Those without a value are of dtype `fallback_dtype`.
  void append_with_results(Op op, const std::map<std::string, Value>& inferred, Dtype fallback_dtype);
  void fill_attr(GraphContext& context, Op* op, const FluidOperator& known, const FluidAttr& attr,
                 const Operand& operand);
  Attribute attribute(GraphContext& context, const FluidOperator& known, const Attr& attr) const;
  /// The values that the forward converter gives, by variable.
  std::map<std::string, Value> shadow(const Op& op, Dtype usual);
  Variable declaration(Value v) const;

  bool refuses_misfits_ = false;
  FluidModel result_;
  Model model_;
  Emitter emitter_;
  ConvertNode convert_node_;
  std::vector<Frame> frames_;
  int pending_depth_ = 0;                          // of variable() within itself
  std::unordered_map<std::string, Value> values_;  // by variable
  std::unordered_map<std::string, int> names_;     // taken, and how often asked for
};

}  // namespace fluid2onnx

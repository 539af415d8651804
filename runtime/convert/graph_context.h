// The OpContext that emits into a Model.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/convert/op_context.h"
#include "runtime/convert/operator_slots.h"
#include "runtime/onnx/graph/emitter.h"

namespace fluid2onnx {

/// One per operator (and per attempt to convert it). While it lives, values are named after its operator; contexts may
/// nest.
class GraphContext : public OpContext {
 public:
  /// All arguments outlive the context.
  GraphContext(Emitter& emitter, const OperatorSlots& slots);
  ~GraphContext() override;
  GraphContext(const GraphContext&) = delete;
  GraphContext& operator=(const GraphContext&) = delete;

  // What the converter left behind.
  const std::map<std::string, Values, std::less<>>& results() const { return results_; }

  /// What set_lod gave a result; null if nothing.
  const Lod* own_lod(const std::string& slot, int64_t index) const {
    if (lods_.empty()) return nullptr;
    const auto found = lods_.find({slot, index});
    return found == lods_.end() ? nullptr : &found->second;
  }

  int opset() const override;
  const std::string& op_type() const override;
  bool has(std::string_view slot) const override;
  Value input(std::string_view slot) override;
  Values inputs(std::string_view slot) override;
  int64_t lod_level(std::string_view slot, int64_t index) const override;
  Value lengths(std::string_view slot, int64_t level, int64_t index) override;
  void set_lod(std::string_view slot, const Lod& lod, int64_t index) override;
  bool used(std::string_view slot) const override;
  int64_t output_count(std::string_view slot) const override;
  void set_output(std::string_view slot, const Operand& value) override;
  void set_outputs(std::string_view slot, const Values& values) override;
  Dtype declared_dtype(std::string_view slot) const override;

  bool has_attr(std::string_view name) const override;
  bool attr_bool(std::string_view name, bool default_value) override;
  int64_t attr_int(std::string_view name, int64_t default_value) override;
  double attr_float(std::string_view name, double default_value) override;
  std::string attr_string(std::string_view name, const std::string& default_value) override;
  Ints attr_ints(std::string_view name, const Ints& default_value) override;
  Floats attr_floats(std::string_view name, const Floats& default_value) override;
  Strings attr_strings(std::string_view name, const Strings& default_value) override;
  Dtype attr_dtype(std::string_view name, Dtype default_value) override;

  Dims param_ints(const ParamSource& source, const Ints& default_value) override;
  Dim param_int(const ParamSource& source, int64_t default_value) override;
  Scalars param_floats(const ParamSource& source, const Floats& default_value) override;
  Scalar param_float(const ParamSource& source, double default_value) override;
  bool has_param(const ParamSource& source) const override;

  Dtype dtype(Value x) override;
  bool rank_known(Value x) override;
  int64_t rank(Value x) override;
  Dim dim(Value x, int64_t axis) override;
  Dims shape(Value x) override;
  Dim element(Value x, int64_t index) override;
  Dim only_element(Value x) override;
  Dtype dtype_before_cast(Value x) override;
  Values projection(Value x) override;
  bool is_const(Value x) override;
  bool is_sequence(Value x) override;
  Ints const_ints(Value x) override;
  Floats const_floats(Value x) override;

  using OpContext::node;
  Values node(const char* op_type, const Operands& operands, const Attrs& attrs, int outputs) override;
  Value tensor(const Operand& operand, Dtype dtype = Dtype::undefined) override;
  Values loop(const Operand& trips, const Operand& condition, const Values& carried, const LoopBody& body) override;
  Values if_else(const Operand& condition, const std::function<Values()>& then_branch,
                 const std::function<Values()>& else_branch) override;

  [[noreturn]] void refuse(NamedErrorCode code, const std::string& message) override;
  [[noreturn]] void refuse_opset(int lowest, const std::string& what) override;

 protected:
  Model& model() { return emitter_.model(); }
  const Model& model() const { return emitter_.model(); }
  /// Emits other nodes for one that the engine of the model does not run; false if there is no reason or no way to.
  virtual bool replace_node(std::string_view /*op*/, const Values& /*operands*/, const Attrs& /*attrs*/,
                            Values* /*results*/) {
    return false;
  }

 private:
  /// The attribute as `read` reads it: E_ATTR_KIND if it is not `wanted`.
  template <class T>
  T attr(std::string_view name, const T& default_value, std::optional<T> (Attribute::*read)() const,
         const char* wanted) const;
  /// The constant, if a recipe can read its elements: E_NOT_CONSTANT, E_TOO_LARGE.
  const Tensor& known_tensor(Value x);
  /// The condition of a loop or branch as a bool tensor; E_DTYPE if it has another dtype.
  Value condition_tensor(const Operand& condition);
  /// The results of a loop whose carried values are constants throughout, so that no Loop is needed.
  std::optional<Values> loop_of_constants(const Operand& trips, const Operand& condition, const Values& carried,
                                          const LoopBody& body);
  /// For opsets in which a loop must carry something.
  Values loop_without_state(const Operand& trips, const Operand& condition, const LoopBody& body);
  /// Emits the body of a loop that carries tensors of these types. The body decides the types of what it carries, and
  /// these decide how it is emitted: it is emitted until they agree. Appends the types of the scan outputs.
  GraphId emit_body(const LoopBody& body, std::vector<onnx::TypeProto>* types);
  /// Adds a node with bodies, and returns its results of these types.
  Values add_node(Node node, const std::vector<onnx::TypeProto>& types);
  /// The dtype that a number gets as an operand, if the operands with the same type variable do not fix it.
  Dtype free_dtype(const Operand& operand, const SchemaParam* param);
  void bind(std::string_view slot, size_t index, Value v);
  /// The tensors that give a parameter; `list`: one element each.
  Values param_tensors(const ParamSource& source, bool* list) const;
  Scalar scalar_of(Value x);
  Scalars scalars_of(Value x);

  Emitter& emitter_;
  const OperatorSlots& slots_;
  std::string outer_prefix_;  ///< of names, of the operator around this one
  std::map<std::string, Values, std::less<>> results_;
  std::map<std::pair<std::string, int64_t>, Lod> lods_;
  int64_t nodes_ = 0;  ///< asked for so far
};

}  // namespace fluid2onnx

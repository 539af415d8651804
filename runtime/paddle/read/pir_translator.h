#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/paddle/program/pir_operators.h"
#include "runtime/paddle/program/pir_program.h"
#include "runtime/support/error.h"

namespace fluid2onnx {

/// What a PIR value is in the program that is made.
struct PirBinding {
  std::string variable;
  PirType type;
  std::vector<PirBinding> elements;        ///< of a list, or numbers that were stacked to a tensor
  std::optional<AttributeValue> constant;  ///< a number, or a list of numbers
  int32_t block = 0;                       ///< where it is defined
  bool overwritten = false;                ///< by some operator, maybe in a later iteration
};

/// The number of elements if it is known and small.
std::optional<int64_t> pir_small_size(const std::optional<Shape>& dims);

/// A text, "" if missing of that name.
std::string pir_text_attr(const PirOp& op, std::string_view name);

/// Translates PIR operators to Fluid operators: by the table in pir_translate.cc, others in pir_special.cc and
/// pir_control_flow.cc.
class PirTranslator {
 public:
  explicit PirTranslator(const std::string& model_path) { program_.model_path = model_path; }

  Program run(const PirBlock& main);

 private:
  using Handler = void (PirTranslator::*)(const PirOp&);
  static Handler handler_of(std::string_view name);

  // An operator, and casts of its results that follow it.
  struct Translated {
    Op op;
    std::vector<Op> casts;
  };

  // Before translation: names that must stay free, and values that are overwritten.
  void look_ahead(const PirBlock& block);
  void translate(const PirBlock& block);
  void translate(const PirOp& op);
  // Afterwards.
  void sort_ports();
  void drop_unread_constants();

  // Translates by the table. Anything that Fluid cannot express is added to the operator's refusal.
  Translated by_table(const PirOp& op, const PirOperator& known);
  void add_operand(const PirOp& op, const PirOperand& known, const PirBinding& value, Op* out);
  void add_run_time_value(const PirOperand& known, const PirBinding& value, Op* out);
  std::string cast_operand(const PirOp& op, const PirOperand& known, const PirBinding& value);
  void add_attr(const PirOp& op, const PirOperator& known, const Attribute& attr, Op* out);
  void add_result(const PirOp& op, size_t at, const PirResult& known, Translated* made);

  // Operators that the table cannot describe.
  void parameter(const PirOp& op);
  void input(const PirOp& op);
  void fetch(const PirOp& op);
  void combine(const PirOp& op);
  void split_list(const PirOp& op);
  void bind_element(const PirOp& op, const PirBinding& list, size_t at, int64_t id);
  void element_of_list(const PirOp& op);
  void assign_array(const PirOp& op);
  void array_pop(const PirOp& op);
  void create_array(const PirOp& op);
  void full(const PirOp& op);
  void full_of_large(const PirOp& op, int64_t number, int64_t count);
  void full_int_array(const PirOp& op);
  void emit_values(const PirOp& op, const Shape& shape, const Attribute& integers);
  void assign_value(const PirOp& op);
  void stack(const PirOp& op);
  void make_constant(const PirOp& op, std::optional<AttributeValue> value);
  void unknown(const PirOp& op);
  // An operator that users wrote in C++: the file has its attributes, but no names of operands and results.
  void custom(const PirOp& op);

  // Control flow.
  void if_else(const PirOp& op);
  void select_input(const PirOp& op);
  void while_loop(const PirOp& op);
  // The block of one side, and variables that have its results if it ran.
  std::vector<std::string> branch(const PirOp& op, size_t region, const std::string& condition);
  // Translates a region into the block at work; the variables that it yields.
  std::vector<std::string> translate_region(const PirOp& op, size_t region, size_t values);
  void write_at_once(std::vector<std::string> from, const std::vector<std::string>& to);
  // Error if a result is a list.
  void check_results(const PirOp& op) const;
  const PirOp& terminator(const PirOp& op, size_t region, size_t values) const;
  // Starts a block in the one at work, which is returned.
  int32_t open_block();
  void close_block(int32_t outer);

  // The value of an operand. Error if it is not defined here.
  const PirBinding& value(const PirOp& op, size_t operand) const;
  const PirBinding& single(const PirOp& op, size_t operand) const;  // not a list
  void bind(const PirOp& op, int64_t id, PirBinding binding);
  // Binds a result to a new variable, or to one for each element of a list.
  PirBinding declare(const PirOp& op, size_t result);
  // A new variable of this name, or one like it.
  std::string declare(const std::string& wanted, const PirType& type, int32_t block);
  Variable& add_variable(const std::string& name, const PirType& type, int32_t block);

  const PirOperator* known_operator(const PirOp& op);

  // Operators at the place of the one that is translated.
  Op make(std::string type, std::vector<Slot> inputs = {}, std::vector<Slot> outputs = {},
          std::vector<Attribute> attrs = {}) const;
  Op cast(const std::string& from, Dtype dtype, const std::string& to) const;
  void emit(Op op) { program_.blocks[static_cast<size_t>(block_)].ops.push_back(std::move(op)); }
  void emit(Translated made);
  void emit_assign(const std::string& from, const std::string& to);

  Error bad(const PirOp& op, const std::string& message) const;

  Program program_;
  std::unordered_map<int64_t, PirBinding> values_;
  std::unordered_set<int64_t> overwritten_;
  std::unordered_set<std::string> names_;      // in use
  std::unordered_set<std::string> constants_;  // variables of operators that only make constants
  std::vector<int64_t> input_columns_, output_columns_;
  std::vector<bool> open_;     // by block: whether it is being translated
  int32_t block_ = 0;          // that operators are added to
  const PirOp* op_ = nullptr;  // that is translated
};

}  // namespace fluid2onnx

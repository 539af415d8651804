// Writes a program in Paddle 3's format (PIR), by the reverse of the reader's table (program/pir_operators.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/paddle/program/pir_operators.h"
#include "runtime/paddle/program/pir_program.h"
#include "runtime/paddle/program/program.h"
#include "runtime/support/problem.h"

namespace fluid2onnx {

/// Thrown if no operator of Paddle 3 can express a Fluid operator. what() has the reason, without the Fluid operator's
/// name.
struct NotExpressible : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The text of the file. If operators cannot be expressed, "", and `problems` lists them.
std::string pir_json_of(const Program& program, std::vector<Problem>* problems);

/// Converts variables to values (SSA): each write of a variable defines a new value, which later operators read.
/// Operators are written in order. Blocks become regions of the operators that run them.
class PirWriter {
 public:
  explicit PirWriter(const Program& program);

  std::string run();
  std::vector<Problem> problems;

 private:
  using Ids = std::vector<int64_t>;
  using Handler = void (PirWriter::*)(const Op&);
  static Handler handler_of(std::string_view type);

  struct Bound {
    int64_t id = 0;
    PirType type;
  };
  /// The conditionals of a block, by variable: the conditional_block that writes it, and the select_inputs that read
  /// it.
  struct Branches {
    std::unordered_map<std::string, const Op*> sides;
    std::unordered_map<std::string, std::vector<const Op*>> choices;
  };
  static Branches branches_of(const Block& block);
  /// A block that is being written.
  struct Open {
    const Block* block;
    size_t at = 0;  // index of the current operator
    std::unordered_map<std::string, Bound> values;
    std::optional<Branches> branches = std::nullopt;  // computed at the first conditional_block
  };

  // -- operators in the table
  void write_operators(const Block& block);
  void write(const Op& op);
  void by_table(const Op& op);
  /// The operands, attributes and results of a candidate. Throws NotExpressible if it cannot express the operator.
  struct Plan;
  Plan plan(const Op& op, const PirOperator& known) const;
  /// `used` gets the attributes that the plan has.
  using Names = std::set<std::string_view>;
  static void plan_operands(const Op& op, Plan* plan, Names* used);
  void plan_attributes(const Op& op, Plan* plan, Names* used) const;
  void plan_results(const Op& op, Plan* plan) const;
  Ids operands_of(const Plan& plan);
  /// A number as an operand, of the kind that it has.
  int64_t number(const Attribute& attr);
  void carry_out(const Plan& plan);
  /// Appends axes of size 1 to the second operand of an elementwise operator, because PIR's operators have no `axis`.
  Op aligned(const Op& op);

  // -- operators that the table cannot describe
  void fill_constant(const Op& op);
  void assign_value(const Op& op);
  void range(const Op& op);
  void deformable_conv_v1(const Op& op);
  void gather(const Op& op);
  void assign(const Op& op);
  void write_to_array(const Op& op);
  void conditional_block(const Op& op);
  void select_input(const Op& op);
  void while_loop(const Op& op);

  void write_inputs();
  /// Creates the tensor arrays that the block declares: in Fluid, a declared array exists before the first write.
  void create_arrays(const Block& block);
  void write_outputs();
  /// Writes the block as a region with these arguments. `yields` returns its results after its operators are written.
  std::string region(const Block& block, const std::vector<std::pair<std::string, Bound>>& args,
                     const std::function<Ids()>& yields);

  // -- operators of the file
  /// Appends an operator and returns the ids of its results. `name` includes the dialect.
  Ids emit(std::string_view name, const Ids& operands, const std::vector<PirType>& results,
           const std::vector<std::string>& attrs, bool persistable = false);
  /// Appends an operator whose results have the ids `ids`, with the text of its regions.
  void emit_with(std::string_view name, const Ids& operands, const Ids& ids, const std::vector<PirType>& results,
                 const std::vector<std::string>& attrs, const std::string& regions, bool persistable = false);
  void append(const std::string& text);
  int64_t first_equal(int64_t id) const;
  int64_t full(const AttributeValue& value, Dtype dtype, const Shape& shape);
  int64_t full_ints(const std::vector<int64_t>& values);
  int64_t combine(const std::vector<std::string>& names);
  /// Combines integer variables to one operand.
  int64_t sizes(const std::vector<std::string>& names);

  // -- values
  Bound value(const std::string& name) const;
  bool is_bound(const std::string& name) const;
  void bind(const std::string& name, Bound value) { open_.back().values[name] = std::move(value); }
  /// Binds a variable to the only result of a new operator.
  void define(const std::string& name, std::string_view op, const Ids& operands, const PirType& type,
              const std::vector<std::string>& attrs) {
    bind(name, {emit(op, operands, {type}, attrs).front(), type});
  }
  PirType declared(const std::string& name) const;
  bool is_read(const std::string& name) const { return read_.count(name) != 0; }

  const Program& program_;
  std::set<std::string, std::less<>> read_;
  std::vector<Open> open_;
  std::string* out_ = nullptr;  // text of the current block's operators, separated by commas
  int64_t results_ = 0, arguments_ = 0;
  int regions_ = 0;
  std::unordered_map<std::string, int64_t> first_;    // of each expression without regions, the first result
  std::unordered_map<int64_t, int64_t> first_equal_;  // of results of repeated expressions, those of the first one
};

}  // namespace fluid2onnx

// A program as Paddle 3's own format: the table by which such programs are read (program/pir_operators.h), backwards.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
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

/// The text of the file, or "" if operators cannot be expressed; `problems` lists them.
std::string pir_json_of(const Program& program, std::vector<Problem>* problems);

/// Variables become values: each operator that writes one gives it a new value, which later operators read. Operators
/// are written in order, a block inside the operator that runs it.
class PirWriter {
 public:
  explicit PirWriter(const Program& program);

  std::string run();
  std::vector<Problem> problems;

 private:
  using Ids = std::vector<std::int64_t>;
  using Handler = void (PirWriter::*)(const Op&);
  static Handler handler_of(std::string_view type);

  struct Bound {
    std::int64_t id = 0;
    PirType type;
  };
  /// Of a block: the conditional_block that gives a variable, and what chooses between it and another one.
  struct Branches {
    std::unordered_map<std::string, const Op*> sides;
    std::unordered_map<std::string, std::vector<const Op*>> choices;
  };
  static Branches branches_of(const Block& block);
  /// A block that is being written.
  struct Open {
    const Block* block;
    std::size_t at = 0;  // the operator that is written
    std::unordered_map<std::string, Bound> values;
    std::optional<Branches> branches = std::nullopt;  // made when the first of them is written
  };

  // -- by the table
  void write_operators(const Block& block);
  void write(const Op& op);
  void by_table(const Op& op);
  /// The operands, attributes and results of one candidate. Throws Unsaid when it cannot say the operator.
  struct Plan;
  Plan plan(const Op& op, const PirOperator& known) const;
  /// `used` gets the attributes that the plan has.
  using Names = std::set<std::string_view>;
  static void plan_operands(const Op& op, Plan* plan, Names* used);
  void plan_attributes(const Op& op, Plan* plan, Names* used) const;
  void plan_results(const Op& op, Plan* plan) const;
  Ids operands_of(const Plan& plan);
  /// A number as an operand, of the kind that it has.
  std::int64_t number(const Attribute& attr);
  void carry_out(const Plan& plan);
  /// An elementwise operator whose second operand has the axes of the first one, as PIR wants it.
  Op aligned(const Op& op);

  // -- what it does not say
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
  /// Fluid's arrays are there as soon as they are declared.
  void create_arrays(const Block& block);
  void write_outputs();
  /// A region of one block: its arguments, and the results of `yields` after its operators are written.
  std::string region(const Block& block, const std::vector<std::pair<std::string, Bound>>& args,
                     const std::function<Ids()>& yields);

  // -- operators of the file
  /// Appends one; gives its results' ids. `name` with its dialect.
  Ids emit(std::string_view name, const Ids& operands, const std::vector<PirType>& results,
           const std::vector<std::string>& attrs, bool persistable = false);
  /// With ids that its results have already, and regions, which are text.
  void emit_with(std::string_view name, const Ids& operands, const Ids& ids, const std::vector<PirType>& results,
                 const std::vector<std::string>& attrs, const std::string& regions, bool persistable = false);
  void append(const std::string& text);
  std::int64_t full(const AttributeValue& value, Dtype dtype, const Shape& shape);
  std::int64_t full_ints(const std::vector<std::int64_t>& values);
  std::int64_t combine(const std::vector<std::string>& names);
  /// Integers, each of them a variable.
  std::int64_t sizes(const std::vector<std::string>& names);

  // -- values
  Bound value(const std::string& name) const;
  bool is_bound(const std::string& name) const;
  void bind(const std::string& name, Bound value) { open_.back().values[name] = std::move(value); }
  PirType declared(const std::string& name) const;
  bool is_read(const std::string& name) const { return read_.count(name) != 0; }

  const Program& program_;
  std::set<std::string, std::less<>> read_;
  std::vector<Open> open_;
  std::string* out_ = nullptr;  // operators of the block that is written, with commas
  std::int64_t results_ = 0, arguments_ = 0;
  int regions_ = 0;
};

}  // namespace fluid2onnx

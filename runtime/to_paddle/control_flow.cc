// FluidContext: a loop as a `while`, a branch as two `conditional_block`s and a choice.
//
// Both also emit their counterpart into the scratch model, so that results have types.

#include "runtime/paddle/program/make_op.h"
#include "runtime/paddle/program/uses.h"
#include "runtime/support/has_item.h"
#include "runtime/to_paddle/arrays.h"

namespace fluid2onnx {
namespace {

void copy(ProgramBuilder& builder, const std::string& from, const std::string& to) {
  builder.append(make_op("assign", {{"X", {from}}}, {{"Out", {to}}}));
}

/// The variable of a value, or the array of a sequence.
std::string held(FluidContext& context, Value v) {
  return context.is_sequence(v) ? natives::array_of(context, v) : context.builder().variable(v);
}

/// A condition as while and conditional_block want it.
std::string as_flag(FluidContext& context, Value condition) {
  return context.builder().variable(context.node("Reshape", {condition, Operand(Ints{1})}));
}

class WhileLoop {
 public:
  /// `carried` outlives it.
  WhileLoop(FluidContext& context, Value trips, Value condition, const Values& carried);

  Values emit(const LoopBody& body);

 private:
  std::string always() { return builder_.variable(context_.tensor(Operand(Bools{true}), Dtype::bool_)); }
  /// Sets whether an iteration follows: below the limit, and if `also` holds ("": always).
  void decide(const std::string& also);
  void finish_body(const LoopIteration& given);
  /// The variable, or a copy if it is part of the state, which is written before all new values are read.
  std::string outside_state(const std::string& name, Value v);
  void append_while();

  FluidContext& context_;
  ProgramBuilder& builder_;
  const Values& carried_;
  std::string counter_, limit_, keep_;  // variables; limit_ "": none
  std::vector<std::string> state_;      // around the loop; each is written again in each iteration
  std::vector<std::string> arrays_;     // of collected slices
  int32_t block_ = 0;
};

WhileLoop::WhileLoop(FluidContext& context, Value trips, Value condition, const Values& carried)
    : context_(context), builder_(context.builder()), carried_(carried) {
  const Value zero = context.tensor(Operand(Constant{Ints{0}, {}, Dtype::int64}));
  counter_ = builder_.new_variable("loop.i", zero);
  copy(builder_, builder_.variable(zero), counter_);
  if (trips) limit_ = builder_.variable(context.node("Reshape", {trips, Operand(Ints())}));
  keep_ = builder_.free_name("loop.keep");
  builder_.declare(keep_, VariableKind::tensor, Dtype::bool_, Shape{1});
  decide(condition ? as_flag(context, condition) : limit_.empty() ? always() : "");
  for (const Value v : carried) {
    if (context.is_sequence(v)) {
      state_.push_back(natives::array_to_write(context, v));
      continue;
    }
    state_.push_back(builder_.new_variable("loop.state", v));
    copy(builder_, builder_.variable(v), state_.back());
  }
}

void WhileLoop::decide(const std::string& also) {
  if (limit_.empty()) return copy(builder_, also, keep_);
  const std::string below = builder_.free_name("loop.below");
  builder_.declare(below, VariableKind::tensor, Dtype::bool_);
  builder_.append(make_op("less_than", {{"X", {counter_}}, {"Y", {limit_}}}, {{"Out", {below}}}));
  const std::string flat = builder_.free_name("loop.below");
  builder_.declare(flat, VariableKind::tensor, Dtype::bool_);
  builder_.append(make_op("unsqueeze2", {{"X", {below}}}, {{"Out", {flat}}}, {{"axes", Ints{0}}}));
  if (also.empty()) return copy(builder_, flat, keep_);
  builder_.append(make_op("logical_and", {{"X", {flat}}, {"Y", {also}}}, {{"Out", {keep_}}}));
}

Values WhileLoop::emit(const LoopBody& body) {
  const size_t blocks_before = builder_.result().program.blocks.size();
  const Values results =
      context_.GraphContext::loop(Operand(), Operand(), carried_, [&](Value iteration, const Values& inside) {
        // What an earlier emission of the body has left.
        builder_.drop_blocks(blocks_before);
        context_.flow().forget_from(iteration);
        block_ = builder_.enter();
        builder_.bind(counter_, iteration);
        for (size_t i = 0; i < inside.size(); ++i) builder_.bind(state_[i], inside[i]);
        LoopIteration result = body(iteration, inside);
        finish_body(result);
        builder_.leave();
        result.cond = {};  // the scratch loop has no condition
        return result;
      });
  append_while();
  for (size_t i = 0; i < carried_.size(); ++i) builder_.bind(state_[i], results[i]);
  for (size_t i = 0; i < arrays_.size(); ++i) {
    const Value v = results[carried_.size() + i];
    const std::string stacked = builder_.new_variable("loop.stacked", v);
    natives::join_array(builder_, arrays_[i], stacked, builder_.free_name("loop.index"), 0, true);
    builder_.bind(stacked, v);
  }
  return results;
}

void WhileLoop::finish_body(const LoopIteration& given) {
  std::vector<std::string> from;
  for (size_t i = 0; i < state_.size(); ++i) {
    const Value v = given.carried[i];
    const std::string name = held(context_, v);
    // An array that was written in place is there already.
    from.push_back(name == state_[i] && context_.is_sequence(v) ? "" : outside_state(name, v));
  }
  while (arrays_.size() < given.scan_outputs.size()) arrays_.push_back(builder_.free_array_name("loop.array"));
  for (size_t i = 0; i < given.scan_outputs.size(); ++i) {
    natives::write_to_array(builder_, arrays_[i], builder_.variable(given.scan_outputs[i]), counter_);
  }
  // A condition that is carried is overwritten before it is looked at, too.
  const Value next = context_.tensor(given.cond, Dtype::bool_);
  const std::string cond = outside_state(next ? as_flag(context_, next) : limit_.empty() ? always() : "", next);
  for (size_t i = 0; i < from.size(); ++i) {
    if (!from[i].empty()) copy(builder_, from[i], state_[i]);
  }
  builder_.append(make_op("increment", {{"X", {counter_}}}, {{"Out", {counter_}}}, {{"step", 1.0}}));
  decide(cond);
}

std::string WhileLoop::outside_state(const std::string& name, Value v) {
  if (!has_item(state_, name)) return name;
  const std::string other = builder_.new_variable("loop.kept", v);
  copy(builder_, name, other);
  return other;
}

void WhileLoop::append_while() {
  for (const std::string& array : arrays_) builder_.declare(array, VariableKind::tensor_array);
  std::vector<std::string> inputs = block_uses(builder_.result().program, block_).reads, outputs = state_;
  outputs.insert(outputs.end(), arrays_.begin(), arrays_.end());
  outputs.push_back(counter_);
  outputs.push_back(keep_);
  std::erase(inputs, keep_);
  const std::string scopes = builder_.free_name("loop.scopes");
  builder_.declare(scopes, VariableKind::step_scopes);
  builder_.append(
      make_op("while", {{"X", inputs}, {"Condition", {keep_}}}, {{"Out", outputs}, {"StepScopes", {scopes}}},
              {{"sub_block", BlockRefs{{block_}}}, {"is_test", true}, {"skip_eager_deletion_vars", Strings()}}));
}

/// One side of an If: a block, and the variables that it writes.
struct Branch {
  int32_t block = 0;
  std::vector<std::string> given;
};

/// Runs a branch into a block of the program.
Values enter_branch(FluidContext& context, const std::function<Values()>& run, const char* hint, Branch* branch) {
  ProgramBuilder& builder = context.builder();
  branch->block = builder.enter();
  Values results = run();
  std::vector<std::string> inside;
  for (const Value v : results) {
    inside.push_back(held(context, v));
    branch->given.push_back(context.is_sequence(v) ? builder.free_array_name(hint) : builder.free_name(hint));
  }
  for (size_t i = 0; i < inside.size(); ++i) copy(builder, inside[i], branch->given[i]);
  builder.leave();
  return results;
}

void append_conditional_block(FluidContext& context, const std::string& flag, const Branch& branch,
                              const Values& results) {
  ProgramBuilder& builder = context.builder();
  for (size_t i = 0; i < results.size(); ++i) {
    if (context.is_sequence(results[i])) builder.declare(branch.given[i], results[i]);
    else builder.declare(branch.given[i], VariableKind::tensor, builder.model().dtype(results[i]));
  }
  const std::string scope = builder.free_name("if.scope");
  builder.declare(scope, VariableKind::step_scopes);
  std::vector<std::string> inputs = block_uses(builder.result().program, branch.block).reads;
  std::erase_if(inputs, [&](const std::string& name) { return has_item(branch.given, name); });
  builder.append(make_op("conditional_block", {{"Cond", {flag}}, {"Input", inputs}},
                         {{"Out", branch.given}, {"Scope", {scope}}},
                         {{"sub_block", BlockRefs{{branch.block}}},
                          {"is_scalar_condition", true},
                          {"skip_eager_deletion_vars", Strings()}}));
}

/// The flag as select_input wants it.
std::string as_mask(ProgramBuilder& builder, const std::string& flag) {
  const std::string mask = builder.free_name("if.mask");
  builder.declare(mask, VariableKind::tensor, Dtype::int32);
  builder.append(make_op(
      "cast", {{"X", {flag}}}, {{"Out", {mask}}},
      {{"in_dtype", int64_t{dtype_to_paddle(Dtype::bool_)}}, {"out_dtype", int64_t{dtype_to_paddle(Dtype::int32)}}}));
  return mask;
}

}  // namespace

Values FluidContext::loop(const Operand& trips, const Operand& condition, const Values& carried, const LoopBody& body) {
  return WhileLoop(*this, tensor(trips, Dtype::int64), tensor(condition, Dtype::bool_), carried).emit(body);
}

Values FluidContext::if_else(const Operand& condition, const std::function<Values()>& then_branch,
                             const std::function<Values()>& else_branch) {
  const Value chosen = tensor(condition, Dtype::bool_);
  if (is_const(chosen)) {
    const Ints known = const_ints(chosen);
    if (known.size() != 1) refuse(E_BAD_PROGRAM, "the condition has " + std::to_string(known.size()) + " elements");
    return known.front() != 0 ? then_branch() : else_branch();
  }
  const std::string flag = as_flag(*this, chosen);
  Branch then, otherwise;
  const Values results = GraphContext::if_else(
      chosen, [&] { return enter_branch(*this, then_branch, "if.true", &then); },
      [&] { return enter_branch(*this, else_branch, "if.false", &otherwise); });

  const std::string other = builder_.free_name("if.not");
  builder_.declare(other, VariableKind::tensor, Dtype::bool_);
  builder_.append(make_op("logical_not", {{"X", {flag}}}, {{"Out", {other}}}));
  append_conditional_block(*this, flag, then, results);
  append_conditional_block(*this, other, otherwise, results);
  const std::string mask = as_mask(builder_, flag);
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string result = builder_.new_variable("if.result", results[i]);
    builder_.append(
        make_op("select_input", {{"X", {otherwise.given[i], then.given[i]}}, {"Mask", {mask}}}, {{"Out", {result}}}));
    builder_.bind(result, results[i]);
  }
  return results;
}

}  // namespace fluid2onnx

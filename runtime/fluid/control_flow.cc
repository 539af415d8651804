// If as two conditional blocks and a choice, Loop as a while.
#include <algorithm>

#include "runtime/fluid/natives.h"
#include "runtime/fluid/onnx_walker.h"
#include "runtime/program/uses.h"

namespace fluid2onnx::natives {
namespace {

Op make_op(const char* type, std::vector<Slot> inputs, std::vector<Slot> outputs, std::vector<Attribute> attrs = {}) {
  Op op;
  op.type = type;
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  op.attrs = std::move(attrs);
  return op;
}

void copy(ProgramBuilder& builder, const std::string& from, const std::string& to) {
  builder.append(make_op("assign", {{"X", {from}}}, {{"Out", {to}}}));
}

/// A condition as while and conditional_block want it.
std::string as_flag(FluidContext& context, Value condition) {
  return context.builder().variable(context.node("Reshape", {condition, Operand(Ints{1})}, {}, 1).front());
}

}  // namespace

void onnx_if(OpContext& op) {
  FluidContext& context = fluid_context(op);
  ProgramBuilder& builder = context.builder();
  const Value condition = context.input("cond");
  const onnx::GraphProto* graphs[] = {&context.graph("then_branch"), &context.graph("else_branch")};
  if (graphs[0]->output_size() != graphs[1]->output_size()) {
    context.refuse(E_BAD_PROGRAM, "its branches have " + std::to_string(graphs[0]->output_size()) + " and " +
                                      std::to_string(graphs[1]->output_size()) + " outputs");
  }
  if (context.is_const(condition)) {
    context.set_outputs("outputs", context.walker().run_graph(*graphs[context.const_ints(condition)[0] ? 0 : 1], {}));
    return;
  }
  const std::string flag = as_flag(context, condition);
  std::vector<std::string> given[2];
  int32_t blocks[2];
  const auto branch = [&](int side) {
    blocks[side] = builder.enter();
    Values results = context.walker().run_graph(*graphs[side], {});
    std::vector<std::string> inside;
    for (const Value v : results) {
      inside.push_back(builder.variable(v));
      given[side].push_back(builder.free_name(side == 0 ? "if.true" : "if.false"));
    }
    for (size_t i = 0; i < inside.size(); ++i) copy(builder, inside[i], given[side][i]);
    builder.leave();
    return results;
  };
  const Values results = context.if_else(Operand(condition), [&] { return branch(0); }, [&] { return branch(1); });

  const std::string other = builder.free_name("if.not");
  builder.declare(other, VariableKind::tensor, Dtype::bool_);
  builder.append(make_op("logical_not", {{"X", {flag}}}, {{"Out", {other}}}));
  for (int side = 0; side < 2; ++side) {
    for (size_t i = 0; i < results.size(); ++i) {
      builder.declare(given[side][i], VariableKind::tensor, builder.model().dtype(results[i]));
    }
    const std::string scope = builder.free_name("if.scope");
    builder.declare(scope, VariableKind::step_scopes);
    std::vector<std::string> inputs = block_uses(builder.result().program, blocks[side]).reads;
    std::erase_if(inputs, [&](const std::string& name) {
      return std::find(given[side].begin(), given[side].end(), name) != given[side].end();
    });
    builder.append(make_op("conditional_block", {{"Cond", {side == 0 ? flag : other}}, {"Input", inputs}},
                           {{"Out", given[side]}, {"Scope", {scope}}},
                           {{"sub_block", BlockRefs{{blocks[side]}}}, {"is_scalar_condition", true},
                            {"skip_eager_deletion_vars", Strings()}}));
  }
  const std::string mask = builder.free_name("if.mask");
  builder.declare(mask, VariableKind::tensor, Dtype::int32);
  builder.append(make_op("cast", {{"X", {flag}}}, {{"Out", {mask}}},
                         {{"in_dtype", int64_t{dtype_to_paddle(Dtype::bool_)}},
                          {"out_dtype", int64_t{dtype_to_paddle(Dtype::int32)}}}));
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string result = builder.new_variable("if.result", results[i]);
    builder.append(make_op("select_input", {{"X", {given[1][i], given[0][i]}}, {"Mask", {mask}}}, {{"Out", {result}}}));
    builder.bind(result, results[i]);
  }
  context.set_outputs("outputs", results);
}

void onnx_loop(OpContext& op) {
  FluidContext& context = fluid_context(op);
  ProgramBuilder& builder = context.builder();
  const onnx::GraphProto& body = context.graph("body");
  const Value trips = context.input("M"), condition = context.input("cond");
  const Values carried = context.inputs("v_initial");
  if (static_cast<size_t>(body.input_size()) != carried.size() + 2 ||
      static_cast<size_t>(body.output_size()) < carried.size() + 1) {
    context.refuse(E_BAD_PROGRAM, "its body has " + std::to_string(body.input_size()) + " inputs and " +
                                      std::to_string(body.output_size()) + " outputs, which do not fit " +
                                      std::to_string(carried.size()) + " values that the loop carries");
  }
  const size_t collected = static_cast<size_t>(body.output_size()) - 1 - carried.size();

  const auto fresh = [&](const char* hint, Value v) { return builder.new_variable(hint, v); };
  const auto flag_value = [&] { return context.tensor(Operand(Bools{true}), Dtype::bool_); };
  const Value zero = context.tensor(Operand(Constant{Ints{0}, {}, Dtype::int64}));

  // The state lives around the loop: each variable of it is written again in each iteration.
  const std::string counter = fresh("loop.i", zero);
  copy(builder, builder.variable(zero), counter);
  const std::string limit =
      trips ? builder.variable(context.node("Reshape", {trips, Operand(Ints())}, {}, 1).front()) : "";
  const std::string keep = builder.free_name("loop.keep");
  builder.declare(keep, VariableKind::tensor, Dtype::bool_);
  builder.result().program.blocks[static_cast<size_t>(builder.current())].variables[keep].dims = Shape{1};
  const auto below_limit = [&](const std::string& also) {
    if (limit.empty()) return copy(builder, also, keep);
    const std::string below = builder.free_name("loop.below");
    builder.declare(below, VariableKind::tensor, Dtype::bool_);
    builder.append(make_op("less_than", {{"X", {counter}}, {"Y", {limit}}}, {{"Out", {below}}}));
    const std::string flat = builder.free_name("loop.below");
    builder.declare(flat, VariableKind::tensor, Dtype::bool_);
    builder.append(make_op("unsqueeze2", {{"X", {below}}}, {{"Out", {flat}}}, {{"axes", Ints{0}}}));
    if (also.empty()) return copy(builder, flat, keep);
    builder.append(make_op("logical_and", {{"X", {flat}}, {"Y", {also}}}, {{"Out", {keep}}}));
  };
  below_limit(condition ? as_flag(context, condition) : limit.empty() ? builder.variable(flag_value()) : "");
  std::vector<std::string> state, arrays;
  for (const Value v : carried) {
    state.push_back(fresh("loop.state", v));
    copy(builder, builder.variable(v), state.back());
  }
  for (size_t i = 0; i < collected; ++i) {
    arrays.push_back(builder.free_name("loop.array"));
    builder.declare(arrays.back(), VariableKind::tensor_array);
  }

  const size_t blocks_before = builder.result().program.blocks.size();
  int32_t block = 0;
  std::vector<Value> slices;
  const Values results = context.loop(Operand(), Operand(), carried, [&](Value turn, const Values& inside) {
    // What an earlier emission of the body has left.
    builder.drop_blocks(blocks_before);
    builder.forget_from(turn);
    context.walker().forget_from(turn);
    block = builder.enter();
    builder.bind(counter, turn);
    for (size_t i = 0; i < inside.size(); ++i) builder.bind(state[i], inside[i]);
    Values inputs{turn, context.tensor(Operand(Constant{Bools{true}, {}, Dtype::bool_}))};
    inputs.insert(inputs.end(), inside.begin(), inside.end());
    const Values given = context.walker().run_graph(body, inputs);
    LoopTurn result;
    result.carried = Values(given.begin() + 1, given.begin() + 1 + static_cast<std::ptrdiff_t>(carried.size()));
    slices.assign(given.begin() + 1 + static_cast<std::ptrdiff_t>(carried.size()), given.end());
    result.collected = slices;
    // All new values are there before any variable of the state is written; one that a later one reads is copied first.
    std::vector<std::string> from;
    for (const Value v : result.carried) {
      std::string name = builder.variable(v);
      if (std::find(state.begin(), state.end(), name) != state.end()) {
        const std::string kept = fresh("loop.kept", v);
        copy(builder, name, kept);
        name = kept;
      }
      from.push_back(name);
    }
    for (size_t i = 0; i < slices.size(); ++i) {
      builder.append(make_op("write_to_array", {{"X", {builder.variable(slices[i])}}, {"I", {counter}}},
                             {{"Out", {arrays[i]}}}));
    }
    const std::string again = as_flag(context, given[0]);
    for (size_t i = 0; i < from.size(); ++i) copy(builder, from[i], state[i]);
    builder.append(make_op("increment", {{"X", {counter}}}, {{"Out", {counter}}}, {{"step", 1.0}}));
    below_limit(again);
    builder.leave();
    return result;
  });

  std::vector<std::string> inputs = block_uses(builder.result().program, block).reads, outputs = state;
  outputs.insert(outputs.end(), arrays.begin(), arrays.end());
  outputs.push_back(counter);
  outputs.push_back(keep);
  std::erase(inputs, keep);
  const std::string scopes = builder.free_name("loop.scopes");
  builder.declare(scopes, VariableKind::step_scopes);
  builder.append(make_op("while", {{"X", inputs}, {"Condition", {keep}}}, {{"Out", outputs}, {"StepScopes", {scopes}}},
                         {{"sub_block", BlockRefs{{block}}}, {"is_test", true}, {"skip_eager_deletion_vars", Strings()}}));
  for (size_t i = 0; i < carried.size(); ++i) builder.bind(state[i], results[i]);
  for (size_t i = 0; i < collected; ++i) {
    const Value v = results[carried.size() + i];
    const std::string stacked = builder.new_variable("loop.stacked", v);
    const std::string index = builder.free_name("loop.index");
    builder.declare(index, VariableKind::tensor, Dtype::int32);
    builder.append(make_op("tensor_array_to_tensor", {{"X", {arrays[i]}}}, {{"Out", {stacked}}, {"OutIndex", {index}}},
                           {{"axis", int64_t{0}}, {"use_stack", true}}));
    builder.bind(stacked, v);
  }
  context.set_outputs("v_final_and_scan_outputs", results);
}

}  // namespace fluid2onnx::natives

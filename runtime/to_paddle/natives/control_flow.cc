// If as two conditional blocks and a choice, Loop and Scan as a while.
#include <algorithm>

#include "runtime/paddle/program/make_op.h"
#include "runtime/paddle/program/uses.h"
#include "runtime/to_paddle/arrays.h"
#include "runtime/to_paddle/natives/natives.h"

namespace fluid2onnx::natives {
namespace {

void copy(ProgramBuilder& builder, const std::string& from, const std::string& to) {
  builder.append(make_op("assign", {{"X", {from}}}, {{"Out", {to}}}));
}

/// The variable of a value, or the array of a sequence.
std::string held(FluidContext& context, Value v) {
  return context.is_sequence(v) ? array_of(context, v) : context.builder().variable(v);
}

/// A condition as while and conditional_block want it.
std::string as_flag(FluidContext& context, Value condition) {
  return context.builder().variable(context.node("Reshape", {condition, Operand(Ints{1})}, {}, 1).front());
}

/// What one iteration gives: whether another one follows (left out: yes), the new state, and a slice of each collected
/// result.
struct Iteration {
  Value cond;
  Values carried, slices;
};

/// A while loop of at most `trips` iterations (left out: any number), as long as `condition` (left out: always) holds.
/// Gives the last state, then the collected slices, stacked.
Values run_loop(FluidContext& context, Value trips, Value condition, const Values& carried,
                const std::function<Iteration(Value iteration, const Values& inside)>& iterate) {
  ProgramBuilder& builder = context.builder();
  const auto fresh = [&](const char* hint, Value v) { return builder.new_variable(hint, v); };
  const auto flag_value = [&] { return context.tensor(Operand(Bools{true}), Dtype::bool_); };
  const Value zero = context.tensor(Operand(Constant{Ints{0}, {}, Dtype::int64}));

  // The state lives around the loop: each variable of it is written again in each iteration.
  const std::string counter = fresh("loop.i", zero);
  copy(builder, builder.variable(zero), counter);
  const std::string limit =
      trips ? builder.variable(context.node("Reshape", {trips, Operand(Ints())}, {}, 1).front()) : "";
  const std::string keep = builder.free_name("loop.keep");
  builder.declare(keep, VariableKind::tensor, Dtype::bool_, Shape{1});
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
    if (context.is_sequence(v)) {
      state.push_back(array_to_write(context, v));
      continue;
    }
    state.push_back(fresh("loop.state", v));
    copy(builder, builder.variable(v), state.back());
  }

  const size_t blocks_before = builder.result().program.blocks.size();
  int32_t block = 0;
  std::vector<Value> slices;
  const Values results =
      context.GraphContext::loop(Operand(), Operand(), carried, [&](Value iteration, const Values& inside) {
        // What an earlier emission of the body has left.
        builder.drop_blocks(blocks_before);
        context.flow().forget_from(iteration);
        block = builder.enter();
        builder.bind(counter, iteration);
        for (size_t i = 0; i < inside.size(); ++i) builder.bind(state[i], inside[i]);
        const Iteration given = iterate(iteration, inside);
        LoopIteration result;
        result.carried = given.carried;
        result.scan_outputs = slices = given.slices;
        // All new values are there before any variable of the state is written, so what is one of these is copied
        // first.
        const auto kept = [&](const std::string& name, Value v) {
          if (std::find(state.begin(), state.end(), name) == state.end()) return name;
          const std::string other = fresh("loop.kept", v);
          copy(builder, name, other);
          return other;
        };
        std::vector<std::string> from;
        for (size_t i = 0; i < state.size(); ++i) {
          const std::string name = held(context, result.carried[i]);
          // An array that was written in place is there already.
          from.push_back(name == state[i] && context.is_sequence(result.carried[i]) ? ""
                                                                                    : kept(name, result.carried[i]));
        }
        while (arrays.size() < slices.size()) arrays.push_back(builder.free_array_name("loop.array"));
        for (size_t i = 0; i < slices.size(); ++i) {
          write_to_array(builder, arrays[i], builder.variable(slices[i]), counter);
        }
        // A condition that is carried is overwritten before it is looked at, too.
        const std::string cond = kept(given.cond      ? as_flag(context, given.cond)
                                      : limit.empty() ? builder.variable(flag_value())
                                                      : "",
                                      given.cond);
        for (size_t i = 0; i < from.size(); ++i) {
          if (!from[i].empty()) copy(builder, from[i], state[i]);
        }
        builder.append(make_op("increment", {{"X", {counter}}}, {{"Out", {counter}}}, {{"step", 1.0}}));
        below_limit(cond);
        builder.leave();
        return result;
      });

  for (const std::string& array : arrays) builder.declare(array, VariableKind::tensor_array);
  std::vector<std::string> inputs = block_uses(builder.result().program, block).reads, outputs = state;
  outputs.insert(outputs.end(), arrays.begin(), arrays.end());
  outputs.push_back(counter);
  outputs.push_back(keep);
  std::erase(inputs, keep);
  const std::string scopes = builder.free_name("loop.scopes");
  builder.declare(scopes, VariableKind::step_scopes);
  builder.append(
      make_op("while", {{"X", inputs}, {"Condition", {keep}}}, {{"Out", outputs}, {"StepScopes", {scopes}}},
              {{"sub_block", BlockRefs{{block}}}, {"is_test", true}, {"skip_eager_deletion_vars", Strings()}}));
  for (size_t i = 0; i < carried.size(); ++i) builder.bind(state[i], results[i]);
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Value v = results[carried.size() + i];
    const std::string stacked = builder.new_variable("loop.stacked", v);
    join_array(builder, arrays[i], stacked, builder.free_name("loop.index"), 0, true);
    builder.bind(stacked, v);
  }
  return results;
}

/// A slice of an operand of Scan.
Value slice_of(FluidContext& context, Value x, Value at) {
  return context.node("Gather", {x, Operand(at)}, {{"axis", int64_t{0}}}, 1).front();
}

/// How many operands of Scan are state; the others are scanned.
int64_t scan_states(FluidContext& context, const onnx::GraphProto& body, size_t operands) {
  const int64_t scanned = context.attr_int("num_scan_inputs", 0);
  const auto states = static_cast<int64_t>(operands) - scanned;
  if (scanned < 1 || states < 0 || body.output_size() < states || body.input_size() != states + scanned) {
    context.refuse(E_BAD_PROGRAM, "'num_scan_inputs' is " + std::to_string(scanned) + ", the number of operands " +
                                      std::to_string(operands));
  }
  return states;
}

/// The body over slices of the operands along their first axes.
Values run_scan(FluidContext& context, const onnx::GraphProto& body, const Values& carried, const Values& operands) {
  const Value trips = context.tensor(Operand(context.dim(operands.front(), 0)), Dtype::int64);
  const auto iterate = [&](Value iteration, const Values& inside) {
    Values inputs = inside;
    for (const Value x : operands) inputs.push_back(slice_of(context, x, iteration));
    const Values given = context.flow().run(body, inputs);
    const auto slices = given.begin() + static_cast<std::ptrdiff_t>(carried.size());
    return Iteration{Value(), Values(given.begin(), slices), Values(slices, given.end())};
  };
  return run_loop(context, trips, Value(), carried, iterate);
}

/// The axes in another order: `from` goes to `to`.
Value move_axis(FluidContext& context, Value x, int64_t from, int64_t to) {
  if (from == to) return x;
  Ints order;
  for (int64_t axis = 0; axis < context.rank(x); ++axis) {
    if (axis != from) order.push_back(axis);
  }
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), from);
  return context.node("Transpose", {x}, {{"perm", order}}, 1).front();
}

Value reversed(FluidContext& context, Value x) { return context.fluid("flip", {{"X", x}}, {{"axis", Ints{0}}}); }

int64_t entry(const Ints& list, size_t i) { return i < list.size() ? list[i] : 0; }

int64_t axis_of(FluidContext& context, int64_t axis, int64_t rank) {
  const int64_t counted = axis < 0 ? axis + rank : axis;
  if (counted < 0 || counted >= rank)
    context.refuse(E_AXIS, "axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
  return counted;
}

/// The results of one of two branches, selected by `condition`.
Values run_if(FluidContext& context, Value condition, const std::function<Values()>& then_branch,
              const std::function<Values()>& else_branch) {
  ProgramBuilder& builder = context.builder();
  if (context.is_const(condition)) {
    const Ints known = context.const_ints(condition);
    if (known.size() != 1)
      context.refuse(E_BAD_PROGRAM, "the condition has " + std::to_string(known.size()) + " elements");
    return known.front() != 0 ? then_branch() : else_branch();
  }
  const std::string flag = as_flag(context, condition);
  std::vector<std::string> given[2];
  int32_t blocks[2];
  const auto branch = [&](int side) {
    blocks[side] = builder.enter();
    Values results = side == 0 ? then_branch() : else_branch();
    std::vector<std::string> inside;
    for (const Value v : results) {
      inside.push_back(held(context, v));
      const char* hint = side == 0 ? "if.true" : "if.false";
      given[side].push_back(context.is_sequence(v) ? builder.free_array_name(hint) : builder.free_name(hint));
    }
    for (size_t i = 0; i < inside.size(); ++i) copy(builder, inside[i], given[side][i]);
    builder.leave();
    return results;
  };
  const Values results = context.GraphContext::if_else(
      Operand(condition), [&] { return branch(0); }, [&] { return branch(1); });

  const std::string other = builder.free_name("if.not");
  builder.declare(other, VariableKind::tensor, Dtype::bool_);
  builder.append(make_op("logical_not", {{"X", {flag}}}, {{"Out", {other}}}));
  for (int side = 0; side < 2; ++side) {
    for (size_t i = 0; i < results.size(); ++i) {
      if (context.is_sequence(results[i])) builder.declare(given[side][i], results[i]);
      else builder.declare(given[side][i], VariableKind::tensor, builder.model().dtype(results[i]));
    }
    const std::string scope = builder.free_name("if.scope");
    builder.declare(scope, VariableKind::step_scopes);
    std::vector<std::string> inputs = block_uses(builder.result().program, blocks[side]).reads;
    std::erase_if(inputs, [&](const std::string& name) {
      return std::find(given[side].begin(), given[side].end(), name) != given[side].end();
    });
    builder.append(make_op("conditional_block", {{"Cond", {side == 0 ? flag : other}}, {"Input", inputs}},
                           {{"Out", given[side]}, {"Scope", {scope}}},
                           {{"sub_block", BlockRefs{{blocks[side]}}},
                            {"is_scalar_condition", true},
                            {"skip_eager_deletion_vars", Strings()}}));
  }
  const std::string mask = builder.free_name("if.mask");
  builder.declare(mask, VariableKind::tensor, Dtype::int32);
  builder.append(make_op(
      "cast", {{"X", {flag}}}, {{"Out", {mask}}},
      {{"in_dtype", int64_t{dtype_to_paddle(Dtype::bool_)}}, {"out_dtype", int64_t{dtype_to_paddle(Dtype::int32)}}}));
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string result = builder.new_variable("if.result", results[i]);
    builder.append(make_op("select_input", {{"X", {given[1][i], given[0][i]}}, {"Mask", {mask}}}, {{"Out", {result}}}));
    builder.bind(result, results[i]);
  }
  return results;
}

}  // namespace

Value fill_array(FluidContext& context, Value count, Dtype dtype, const std::function<Value(Value number)>& element) {
  ProgramBuilder& builder = context.builder();
  const auto add = [&](Value number, const Values& inside) {
    const Value tensor = element(number), longer = longer_sequence(context, inside.front(), tensor);
    const std::string array = builder.variable(inside.front());
    write_to_array(builder, array, builder.variable(tensor), builder.variable(number));
    builder.bind(array, longer);
    return Iteration{Value(), {longer}, {}};
  };
  return run_loop(context, count, Value(), {sequence_of(context, {}, dtype)}, add).front();
}

void onnx_if(OpContext& op) {
  FluidContext& context = fluid_context(op);
  const int outputs[] = {context.graph("then_branch").output_size(), context.graph("else_branch").output_size()};
  if (outputs[0] != outputs[1]) {
    context.refuse(E_BAD_PROGRAM, "the branches have " + std::to_string(outputs[0]) + " and " +
                                      std::to_string(outputs[1]) + " outputs");
  }
  const auto branch = [&](const char* name) {
    return [&context, name] { return context.flow().run(context.graph(name), {}); };
  };
  if (const auto written = run_writes(context)) return context.set_outputs("outputs", *written);
  context.set_outputs("outputs", run_if(context, context.input("cond"), branch("then_branch"), branch("else_branch")));
}

void onnx_loop(OpContext& op) {
  FluidContext& context = fluid_context(op);
  const onnx::GraphProto& body = context.graph("body");
  const Values carried = context.inputs("v_initial");
  if (static_cast<size_t>(body.input_size()) != carried.size() + 2 ||
      static_cast<size_t>(body.output_size()) < carried.size() + 1) {
    context.refuse(E_BAD_PROGRAM, "the body has " + std::to_string(body.input_size()) + " inputs and " +
                                      std::to_string(body.output_size()) + " outputs; expected those for " +
                                      std::to_string(carried.size()) + " loop-carried values");
  }
  // What the body reads in each iteration is made an array once.
  for (const Value sequence : context.sequences().captured(body)) array_of(context, sequence);
  const auto state = static_cast<std::ptrdiff_t>(carried.size());
  const auto iterate = [&](Value iteration, const Values& inside) {
    Values inputs{iteration, context.tensor(Operand(Constant{Bools{true}, {}, Dtype::bool_}))};
    inputs.insert(inputs.end(), inside.begin(), inside.end());
    const Values given = context.flow().run(body, inputs);
    const auto slices = given.begin() + 1 + state;
    return Iteration{given[0], Values(given.begin() + 1, slices), Values(slices, given.end())};
  };
  context.set_outputs("v_final_and_scan_outputs",
                      run_loop(context, context.input("M"), context.input("cond"), carried, iterate));
}

void onnx_scan(OpContext& op) {
  FluidContext& context = fluid_context(op);
  const onnx::GraphProto& body = context.graph("body");
  Values carried = context.inputs("initial_state_and_scan_inputs");
  const int64_t states = scan_states(context, body, carried.size());
  Values operands(carried.begin() + static_cast<std::ptrdiff_t>(states), carried.end());
  carried.resize(static_cast<size_t>(states));
  const Ints axes = context.attr_ints("scan_input_axes", {}),
             backwards = context.attr_ints("scan_input_directions", {});
  for (size_t i = 0; i < operands.size(); ++i) {
    Value& x = operands[i];
    if (const int64_t axis = entry(axes, i)) x = move_axis(context, x, axis_of(context, axis, context.rank(x)), 0);
    if (entry(backwards, i) != 0) x = reversed(context, x);
  }
  const auto collected = static_cast<size_t>(body.output_size() - states);
  Values results = run_scan(context, body, carried, operands);
  const Ints to = context.attr_ints("scan_output_axes", {}), back = context.attr_ints("scan_output_directions", {});
  for (size_t i = 0; i < collected; ++i) {
    Value& y = results[static_cast<size_t>(states) + i];
    if (entry(back, i) != 0) y = reversed(context, y);
    if (const int64_t axis = entry(to, i)) y = move_axis(context, y, 0, axis_of(context, axis, context.rank(y)));
  }
  context.set_outputs("final_state_and_scan_outputs", results);
}

void onnx_scan_of_batch(OpContext& op) {
  FluidContext& context = fluid_context(op);
  const onnx::GraphProto& body = context.graph("body");
  const Values given = context.inputs("initial_state_and_scan_inputs");
  const int64_t states = scan_states(context, body, given.size());
  if (context.has("sequence_lens")) {
    context.refuse(E_UNSUPPORTED,
                   "sequences of different lengths are not supported: the results have one size in ONNX");
  }
  const Ints backwards = context.attr_ints("directions", {});
  const Value entries = context.tensor(Operand(context.dim(given.front(), 0)), Dtype::int64);
  const auto each_entry = [&](Value entry_number, const Values&) {
    Values carried, operands;
    for (int64_t i = 0; i < static_cast<int64_t>(given.size()); ++i) {
      const Value own = slice_of(context, given[static_cast<size_t>(i)], entry_number);
      if (i < states) carried.push_back(own);
      else operands.push_back(entry(backwards, static_cast<size_t>(i - states)) != 0 ? reversed(context, own) : own);
    }
    return Iteration{Value(), {}, run_scan(context, body, carried, operands)};
  };
  context.set_outputs("final_state_and_scan_outputs", run_loop(context, entries, Value(), {}, each_entry));
}

}  // namespace fluid2onnx::natives

namespace fluid2onnx {

Values FluidContext::loop(const Operand& trips, const Operand& condition, const Values& carried,
                          const std::function<LoopIteration(Value iteration, const Values& carried)>& body) {
  const auto value = [&](const Operand& operand, Dtype dtype) {
    return operand.omitted() ? Value() : tensor(operand, dtype);
  };
  return natives::run_loop(
      *this, value(trips, Dtype::int64), value(condition, Dtype::bool_), carried,
      [&](Value iteration, const Values& inside) {
        const LoopIteration given = body(iteration, inside);
        return natives::Iteration{value(given.cond, Dtype::bool_), given.carried, given.scan_outputs};
      });
}

Values FluidContext::if_else(const Operand& condition, const std::function<Values()>& then_branch,
                             const std::function<Values()>& else_branch) {
  return natives::run_if(*this, tensor(condition, Dtype::bool_), then_branch, else_branch);
}

}  // namespace fluid2onnx

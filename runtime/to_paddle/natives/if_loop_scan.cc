// If, Loop and Scan.

#include "runtime/to_paddle/arrays.h"
#include "runtime/to_paddle/natives/natives.h"

namespace fluid2onnx::natives {
namespace {

/// A slice of an operand of Scan.
Value slice_of(FluidContext& context, Value x, Value at) {
  return context.node("Gather", {x, Operand(at)}, {{"axis", int64_t{0}}});
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
    return LoopIteration{{}, Values(given.begin(), slices), Values(slices, given.end())};
  };
  return context.loop(trips, {}, carried, iterate);
}

/// The axes in another order: `from` goes to `to`.
Value move_axis(FluidContext& context, Value x, int64_t from, int64_t to) {
  if (from == to) return x;
  Ints order;
  for (int64_t axis = 0; axis < context.rank(x); ++axis) {
    if (axis != from) order.push_back(axis);
  }
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), from);
  return context.node("Transpose", {x}, {{"perm", order}});
}

Value reversed(FluidContext& context, Value x) { return context.fluid("flip", {{"X", x}}, {{"axis", Ints{0}}}); }

int64_t entry(const Ints& list, size_t i) { return i < list.size() ? list[i] : 0; }

int64_t axis_of(FluidContext& context, int64_t axis, int64_t rank) {
  const int64_t counted = axis < 0 ? axis + rank : axis;
  if (counted < 0 || counted >= rank)
    context.refuse(E_AXIS, "axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
  return counted;
}

}  // namespace

Value fill_array(FluidContext& context, Value count, Dtype dtype, const std::function<Value(Value number)>& element) {
  ProgramBuilder& builder = context.builder();
  const auto add = [&](Value number, const Values& inside) {
    const Value tensor = element(number), longer = longer_sequence(context, inside.front(), tensor);
    const std::string array = builder.variable(inside.front());
    write_to_array(builder, array, builder.variable(tensor), builder.variable(number));
    builder.bind(array, longer);
    return LoopIteration{{}, {longer}, {}};
  };
  return context.loop(count, {}, {sequence_of(context, {}, dtype)}, add).front();
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
  if (const auto written = convert_conditional_writes(context)) return context.set_outputs("outputs", *written);
  context.set_outputs("outputs", context.if_else(context.input("cond"), branch("then_branch"), branch("else_branch")));
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
    return LoopIteration{given[0], Values(given.begin() + 1, slices), Values(slices, given.end())};
  };
  context.set_outputs("v_final_and_scan_outputs",
                      context.loop(context.input("M"), context.input("cond"), carried, iterate));
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
    return LoopIteration{{}, {}, run_scan(context, body, carried, operands)};
  };
  context.set_outputs("final_state_and_scan_outputs", context.loop(entries, {}, {}, each_entry));
}

}  // namespace fluid2onnx::natives

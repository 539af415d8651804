// while: runs its block as long as the condition variable is true, which the block updates.
//
// State goes from iteration to iteration by the names of outer variables. The assigns that end the body run one after
// the other, so the body is walked with its own names, and their values at its end are carried. loop_arrays detects
// tensor arrays of counting loops. A few iterations, known in number, become plain nodes.
#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/convert/natives.h"
#include "runtime/to_onnx/natives/crossing.h"
#include "runtime/to_onnx/natives/loop_arrays.h"

namespace fluid2onnx::natives {
namespace {

/// The variables that the body writes and that a later iteration or an operator after the loop reads.
Strings carried_variables(const BlockContext& context, const BlockUses& uses) {
  const NameSet reads(uses.reads.begin(), uses.reads.end());
  NameSet known;
  Strings carried;
  const auto add = [&](const std::string& name) {
    if (name.empty() || !(context.read_later(name) || reads.count(name))) return;
    if (known.insert(name).second) carried.push_back(name);
  };
  for (const std::string& name : context.op().output("Out")) add(name);
  for (const std::string& name : uses.writes) add(name);
  return carried;
}

constexpr int kRange = 11;

/// 0, 1, 2 ... for all sequences.
Value places_of(OpContext& op, Value lengths) {
  if (op.opset() < kRange) {
    const Value all = op.node("NonZero", {op.node("Equal", {lengths, lengths}, {}, 1)[0]}, {}, 1).front();
    return op.node("Reshape", {all, Ints{-1}}, {}, 1).front();
  }
  return op.node("Range", {Operand(0), op.tensor(op.dim(lengths, 0)), Operand(1)}, {}, 1).front();
}

/// The rows that an iteration gives, and behind them copies of the first for the sequences that are over: what a loop
/// collects has one shape.
Value all_rows(OpContext& op, Value rows, Value step, Value lengths, Value places) {
  const Value left = op.node("Cast", {op.node("Less", {step, lengths}, {}, 1)[0]}, {Attr("to", Dtype::int64)}, 1)[0];
  return op.node("Gather", {rows, op.node("Mul", {places, left}, {}, 1)[0]}, {Attr("axis", 0)}, 1).front();
}

constexpr int kUnrolledArrays = 11;  // with an ONNX sequence, an array's elements are known one by one
constexpr int kMostIterations = 32;
constexpr size_t kMostNodes = 1024;

std::optional<bool> known_condition(OpContext& op, Value condition) {
  if (!condition || !op.is_const(condition)) return std::nullopt;
  const Ints elements = op.const_ints(op.node("Cast", {condition}, {Attr("to", Dtype::int64)}, 1).front());
  return elements.size() == 1 ? std::optional(elements[0] != 0) : std::nullopt;
}

/// Emits the iterations one after the other if constants determine how many there are. Several engines have no Loop or
/// no sequences in it, and unrolled, tensor arrays are plain tensors. False, without a trace, if there are too many.
bool unroll(BlockContext& context, int32_t body, const std::string& condition, const Strings& carried) {
  std::optional<bool> again = known_condition(context, context.input("Condition"));
  if (!again || context.opset() < kUnrolledArrays) return false;
  context.bring_in_reads(body);
  std::vector<Held> state;
  for (const std::string& name : carried) state.push_back(context.held(name));
  Strings wanted = carried;
  wanted.push_back(condition);
  bool tried = false;
  context.emit_until([&] {
    if (std::exchange(tried, true)) return true;
    // Without a value, each iteration writes it before it reads it.
    for (size_t i = 0; i < carried.size(); ++i) {
      if (!state[i].value) state[i] = {context.zeros_like(carried[i])};
    }
    const size_t nodes = context.node_count();
    for (int i = 0; again.value_or(false) && i < kMostIterations; ++i) {
      if (context.node_count() > nodes + kMostNodes) return false;
      std::vector<std::pair<std::string, Held>> given;
      for (size_t j = 0; j < carried.size(); ++j) given.emplace_back(carried[j], state[j]);
      state = context.run_block(body, given, wanted);
      again = known_condition(context, state.back().value);
      state.pop_back();
    }
    return again.has_value() && !*again;
  });
  if (!again || *again) return false;
  for (size_t i = 0; i < carried.size(); ++i) context.set_variable(carried[i], state[i]);
  return true;
}

}  // namespace

void while_loop(OpContext& op) {
  BlockContext& context = block_context(op);
  const int32_t body = context.sub_block();
  const std::string condition = context.op().input("Condition", 0);
  const BlockUses uses = context.uses(body);
  if (unroll(context, body, condition, carried_variables(context, uses))) return;
  const LoopArrays arrays = loop_arrays(context, body);
  const bool counted = arrays.iterations && !context.read_later(arrays.step);
  Strings carried = carried_variables(context, uses);
  std::erase_if(carried, [&](const std::string& name) {
    return arrays.has(name) || (counted && (name == arrays.step || (name == condition && !context.read_later(name))));
  });
  const size_t variables = carried.size();
  context.bring_in_reads(body, [&](const std::string& name) { return !arrays.has(name); });

  std::vector<Held> before;
  for (const std::string& name : carried) before.push_back(context.held(name));
  for (const LoopArrays::State& state : arrays.states) before.push_back(state.start);
  // Without a value, each iteration writes it before it reads it.
  std::vector<Held> start = before;
  for (size_t i = 0; i < variables; ++i) {
    if (!start[i].value) start[i] = {context.zeros_like(carried[i])};
  }
  const Operand iterations = counted ? Operand(as_scalar(op, arrays.iterations)) : Operand();
  const Operand first = counted ? Operand() : Operand(as_scalar(op, op.input("Condition")));

  // The program's counter has one axis or, in newer programs, none; that of a Loop has none.
  const Value step = counted ? context.held(arrays.step).value : Value();
  const bool single = step && op.rank_known(step) && op.rank(step) == 0;

  Strings wanted = carried, kept;
  for (const LoopArrays::State& state : arrays.states) {
    wanted.push_back(state.written);
    kept.insert(kept.end(), state.read.begin(), state.read.end());
  }
  const size_t states = wanted.size();
  for (const LoopArrays::Result& result : arrays.results) wanted.push_back(result.written);
  if (!counted) wanted.push_back(condition);
  Values places;
  for (const LoopArrays::Result& result : arrays.results) {
    places.push_back(result.lengths ? places_of(op, result.own_lengths) : Value());
  }
  Crossing crossing(context, states);
  std::vector<Crossing::Ends> ends;
  for (const Held& held : before) ends.push_back({held, held});
  crossing.plan(ends);
  std::vector<Held> after;
  Values collected;
  context.emit_until([&] {
    Values results = op.loop(iterations, first, crossing.pack(start), [&](Value iteration, const Values& inside) {
      const std::vector<Held> held = crossing.unpack(inside);
      std::vector<std::pair<std::string, Held>> given;
      for (size_t i = 0; i < variables; ++i) given.emplace_back(carried[i], held[i]);
      for (size_t i = 0; i < arrays.states.size(); ++i) {
        for (const std::string& name : arrays.states[i].read) given.emplace_back(name, held[variables + i]);
      }
      const Value number = arrays.any() ? op.node("Reshape", {iteration, Ints{1}}, {}, 1).front() : Value();
      if (counted) given.emplace_back(arrays.step, Held{single ? iteration : number});
      std::vector<Held> done = context.run_block(body, given, wanted, kept);
      LoopIteration result;
      if (!counted) result.cond = as_scalar(op, done.back().value);
      for (size_t i = 0; i < arrays.results.size(); ++i) {
        const Value lengths = arrays.results[i].lengths, rows = done[states + i].value;
        result.scan_outputs.push_back(lengths ? all_rows(op, rows, number, lengths, places[i]) : rows);
      }
      done.resize(states);
      for (size_t i = 0; i < states; ++i) ends[i].other = done[i];
      result.carried = crossing.pack(done);
      return result;
    });
    const auto last = results.end() - static_cast<std::ptrdiff_t>(arrays.results.size());
    collected.assign(last, results.end());
    results.erase(last, results.end());
    after = crossing.unpack(results);
    // What comes out of an iteration may have other lengths, which have to be carried then.
    return crossing.plan(ends);
  });
  for (size_t i = 0; i < variables; ++i) context.set_variable(carried[i], after[i]);
  for (size_t i = 0; i < collected.size(); ++i) context.set_variable(arrays.results[i].array, {collected[i]});
  for (const Op& one : context.ops(body)) {
    const bool element = one.type == "read_from_array" && arrays.has(one.input("X", 0));
    const bool count = counted && (one.type == "increment" || one.output("Out", 0) == condition);
    if (element || count || arrays.has(one.output("Out", 0))) context.count(one);
  }
}

}  // namespace fluid2onnx::natives

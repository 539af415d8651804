// while: runs its block as long as the condition variable is true, which the block updates.
//
// Outer variables carry the state from iteration to iteration. The assigns at the end of the body run in order, so the
// body is walked with its own names, and the values at its end are carried. loop_arrays detects tensor arrays of
// counting loops. A small known number of iterations is unrolled.
#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/convert/natives.h"
#include "runtime/support/limits.h"
#include "runtime/to_onnx/natives/body_signature.h"
#include "runtime/to_onnx/natives/loop_arrays.h"

namespace fluid2onnx::natives {
namespace {

/// The variables that the body writes and that a later iteration or an operator after the loop reads.
Strings carried_variables(const BlockContext& context, int32_t body) {
  const BlockUses uses = block_uses(context.program(), body);
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
Value indices_of(OpContext& op, Value lengths) {
  if (op.opset() < kRange) {
    const Value all = op.node("NonZero", {op.node("Equal", {lengths, lengths})});
    return op.node("Reshape", {all, Ints{-1}});
  }
  return op.node("Range", {Operand(0), op.tensor(op.dim(lengths, 0)), Operand(1)});
}

/// The rows of an iteration, then copies of the first row for the sequences that have ended: all slices that a loop
/// collects need the same shape.
Value all_rows(OpContext& op, Value rows, Value step, Value lengths, Value places) {
  const Value left = op.node("Cast", {op.node("Less", {step, lengths})}, {Attr("to", Dtype::int64)});
  return op.node("Gather", {rows, op.node("Mul", {places, left})}, {Attr("axis", 0)});
}

constexpr int kUnrolledArrays = 11;  // with an ONNX sequence, an array's elements are known one by one

std::optional<bool> known_condition(OpContext& op, Value condition) {
  if (!condition || !op.is_const(condition) || op.dtype(condition) != Dtype::bool_) return std::nullopt;
  const Ints elements = op.const_ints(op.node("Cast", {condition}, {Attr("to", Dtype::int64)}));
  return elements.size() == 1 ? std::optional(elements[0] != 0) : std::nullopt;
}

/// Emits the iterations of a while operator one after the other if constants determine how many there are. Several
/// engines have no Loop or no sequences in it, and unrolled, tensor arrays are plain tensors. `carried` are the
/// variables of the loop. False, without a trace, if there are too many.
bool unroll(BlockContext& context, int32_t body, const std::string& condition, const Strings& carried) {
  std::optional<bool> again = known_condition(context, context.required_input("Condition"));
  if (!again || context.opset() < kUnrolledArrays) return false;
  context.bring_in_reads(body);
  std::vector<ValueWithLod> state;
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
    const auto nodes = [&] { return context.model().graph(context.model().current()).nodes.size(); };
    const size_t most = nodes() + limits::kUnrolledNodes;
    for (int i = 0; again.value_or(false) && i < limits::kUnrolledIterations; ++i) {
      if (nodes() > most) return false;
      std::vector<std::pair<std::string, ValueWithLod>> given;
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

/// One loop: what it carries, and what it collects.
class WhileConversion {
 public:
  WhileConversion(BlockContext& context, Strings carried);

  void run();

 private:
  /// The values of all state before the loop: carried variables, then elements of arrays.
  std::vector<ValueWithLod> state_before();
  LoopIteration iterate(BodySignature& signature, Value iteration, const Values& inside,
                        std::vector<ValueWithLod>* after);
  void count_replaced();

  BlockContext& context_;
  const int32_t body_;
  const std::string condition_;
  const LoopArrays arrays_;
  const bool counted_;   // the number of iterations is known before the loop
  Strings carried_;      // variables
  bool single_ = false;  // the program's counter has no axes, as that of a Loop
  Strings wanted_;       // of the body: state, collected elements and, if not counted, the condition
  Strings kept_;
  size_t states_ = 0;  // among wanted_
  Values places_;      // of collected sequences
};

WhileConversion::WhileConversion(BlockContext& context, Strings carried)
    : context_(context),
      body_(context.sub_block()),
      condition_(context.op().input("Condition", 0)),
      arrays_(loop_arrays(context, body_)),
      counted_(arrays_.iterations && !context.read_later(arrays_.step)),
      carried_(std::move(carried)) {
  std::erase_if(carried_, [&](const std::string& name) {
    return arrays_.has(name) ||
           (counted_ && (name == arrays_.step || (name == condition_ && !context.read_later(name))));
  });
  wanted_ = carried_;
  for (const LoopArrays::State& state : arrays_.states) {
    wanted_.push_back(state.written);
    kept_.insert(kept_.end(), state.read.begin(), state.read.end());
  }
  states_ = wanted_.size();
  for (const LoopArrays::Result& result : arrays_.results) wanted_.push_back(result.written);
  if (!counted_) wanted_.push_back(condition_);
}

std::vector<ValueWithLod> WhileConversion::state_before() {
  std::vector<ValueWithLod> before;
  for (const std::string& name : carried_) before.push_back(context_.held(name));
  for (const LoopArrays::State& state : arrays_.states) before.push_back(state.start);
  return before;
}

void WhileConversion::run() {
  context_.bring_in_reads(body_, [&](const std::string& name) { return !arrays_.has(name); });
  const std::vector<ValueWithLod> before = state_before();
  // Without a value, each iteration writes it before it reads it.
  std::vector<ValueWithLod> start = before;
  for (size_t i = 0; i < carried_.size(); ++i) {
    if (!start[i].value) start[i] = {context_.zeros_like(carried_[i])};
  }
  const Operand iterations = counted_ ? Operand(as_scalar(context_, arrays_.iterations)) : Operand();
  const Operand first = counted_ ? Operand() : Operand(as_scalar(context_, context_.required_input("Condition")));
  const Value step = counted_ ? context_.held(arrays_.step).value : Value();
  single_ = step && context_.rank_known(step) && context_.rank(step) == 0;
  for (const LoopArrays::Result& result : arrays_.results) {
    places_.push_back(result.lengths ? indices_of(context_, result.own_lengths) : Value());
  }
  BodySignature signature(context_, states_);
  std::vector<ValueWithLod> after = before, final_state;
  signature.merge(before, before);
  Values collected;
  context_.emit_until([&] {
    Values results = context_.loop(
        iterations, first, signature.pack(start),
        [&](Value iteration, const Values& inside) { return iterate(signature, iteration, inside, &after); });
    const auto last = results.end() - static_cast<std::ptrdiff_t>(arrays_.results.size());
    collected.assign(last, results.end());
    results.erase(last, results.end());
    final_state = signature.unpack(results);
    // An iteration may change lengths, which must then be carried.
    return signature.merge(before, after);
  });
  for (size_t i = 0; i < carried_.size(); ++i) context_.set_variable(carried_[i], final_state[i]);
  for (size_t i = 0; i < collected.size(); ++i) context_.set_variable(arrays_.results[i].array, {collected[i]});
  count_replaced();
}

LoopIteration WhileConversion::iterate(BodySignature& signature, Value iteration, const Values& inside,
                                       std::vector<ValueWithLod>* after) {
  const std::vector<ValueWithLod> held = signature.unpack(inside);
  const size_t variables = carried_.size();
  std::vector<std::pair<std::string, ValueWithLod>> given;
  for (size_t i = 0; i < variables; ++i) given.emplace_back(carried_[i], held[i]);
  for (size_t i = 0; i < arrays_.states.size(); ++i) {
    for (const std::string& name : arrays_.states[i].read) given.emplace_back(name, held[variables + i]);
  }
  const Value number = arrays_.any() ? context_.node("Reshape", {iteration, Ints{1}}) : Value();
  if (counted_) given.emplace_back(arrays_.step, ValueWithLod{single_ ? iteration : number});
  std::vector<ValueWithLod> done = context_.run_block(body_, given, wanted_, kept_);
  LoopIteration result;
  if (!counted_) result.cond = as_scalar(context_, done.back().value);
  for (size_t i = 0; i < arrays_.results.size(); ++i) {
    const Value lengths = arrays_.results[i].lengths, rows = done[states_ + i].value;
    result.scan_outputs.push_back(lengths ? all_rows(context_, rows, number, lengths, places_[i]) : rows);
  }
  done.resize(states_);
  *after = done;
  result.carried = signature.pack(done);
  return result;
}

void WhileConversion::count_replaced() {
  for (const Op& one : context_.program().blocks[static_cast<size_t>(body_)].ops) {
    const bool element = one.type == "read_from_array" && arrays_.has(one.input("X", 0));
    const bool count = counted_ && (one.type == "increment" || one.output("Out", 0) == condition_);
    if (element || count || arrays_.has(one.output("Out", 0))) context_.count(one);
  }
}

}  // namespace

void while_loop(OpContext& op) {
  BlockContext& context = block_context(op);
  const int32_t body = context.sub_block();
  Strings carried = carried_variables(context, body);
  if (unroll(context, body, context.op().input("Condition", 0), carried)) return;
  WhileConversion(context, std::move(carried)).run();
}

}  // namespace fluid2onnx::natives

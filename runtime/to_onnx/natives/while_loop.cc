// while: runs its block as long as the condition variable is true, which the block updates.
//
// State goes from iteration to iteration by the names of outer variables. The assigns that end the body run one after
// the other, so the body is walked with its own names, and their values at its end are carried. loop_arrays detects
// tensor arrays of counting loops. A few iterations, known in number, become plain nodes.
#include <algorithm>
#include <utility>

#include "runtime/convert/natives.h"
#include "runtime/to_onnx/natives/crossing.h"
#include "runtime/to_onnx/natives/loop_arrays.h"
#include "runtime/to_onnx/natives/unroll.h"

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

/// One loop: what it carries, and what it collects.
class WhileConversion {
 public:
  explicit WhileConversion(BlockContext& context);

  void run();

 private:
  /// The values of all state before the loop: carried variables, then elements of arrays.
  std::vector<Held> state_before();
  LoopIteration iterate(Crossing& crossing, Value iteration, const Values& inside, std::vector<Crossing::Ends>* ends);
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

WhileConversion::WhileConversion(BlockContext& context)
    : context_(context),
      body_(context.sub_block()),
      condition_(context.op().input("Condition", 0)),
      arrays_(loop_arrays(context, body_)),
      counted_(arrays_.iterations && !context.read_later(arrays_.step)),
      carried_(carried_variables(context, context.uses(body_))) {
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

std::vector<Held> WhileConversion::state_before() {
  std::vector<Held> before;
  for (const std::string& name : carried_) before.push_back(context_.held(name));
  for (const LoopArrays::State& state : arrays_.states) before.push_back(state.start);
  return before;
}

void WhileConversion::run() {
  context_.bring_in_reads(body_, [&](const std::string& name) { return !arrays_.has(name); });
  const std::vector<Held> before = state_before();
  // Without a value, each iteration writes it before it reads it.
  std::vector<Held> start = before;
  for (size_t i = 0; i < carried_.size(); ++i) {
    if (!start[i].value) start[i] = {context_.zeros_like(carried_[i])};
  }
  const Operand iterations = counted_ ? Operand(as_scalar(context_, arrays_.iterations)) : Operand();
  const Operand first = counted_ ? Operand() : Operand(as_scalar(context_, context_.input("Condition")));
  const Value step = counted_ ? context_.held(arrays_.step).value : Value();
  single_ = step && context_.rank_known(step) && context_.rank(step) == 0;
  for (const LoopArrays::Result& result : arrays_.results) {
    places_.push_back(result.lengths ? places_of(context_, result.own_lengths) : Value());
  }
  Crossing crossing(context_, states_);
  std::vector<Crossing::Ends> ends;
  for (const Held& held : before) ends.push_back({held, held});
  crossing.plan(ends);
  std::vector<Held> after;
  Values collected;
  context_.emit_until([&] {
    Values results = context_.loop(iterations, first, crossing.pack(start), [&](Value iteration, const Values& inside) {
      return iterate(crossing, iteration, inside, &ends);
    });
    const auto last = results.end() - static_cast<std::ptrdiff_t>(arrays_.results.size());
    collected.assign(last, results.end());
    results.erase(last, results.end());
    after = crossing.unpack(results);
    // What comes out of an iteration may have other lengths, which have to be carried then.
    return crossing.plan(ends);
  });
  for (size_t i = 0; i < carried_.size(); ++i) context_.set_variable(carried_[i], after[i]);
  for (size_t i = 0; i < collected.size(); ++i) context_.set_variable(arrays_.results[i].array, {collected[i]});
  count_replaced();
}

LoopIteration WhileConversion::iterate(Crossing& crossing, Value iteration, const Values& inside,
                                       std::vector<Crossing::Ends>* ends) {
  const std::vector<Held> held = crossing.unpack(inside);
  const size_t variables = carried_.size();
  std::vector<std::pair<std::string, Held>> given;
  for (size_t i = 0; i < variables; ++i) given.emplace_back(carried_[i], held[i]);
  for (size_t i = 0; i < arrays_.states.size(); ++i) {
    for (const std::string& name : arrays_.states[i].read) given.emplace_back(name, held[variables + i]);
  }
  const Value number = arrays_.any() ? context_.node("Reshape", {iteration, Ints{1}}, {}, 1).front() : Value();
  if (counted_) given.emplace_back(arrays_.step, Held{single_ ? iteration : number});
  std::vector<Held> done = context_.run_block(body_, given, wanted_, kept_);
  LoopIteration result;
  if (!counted_) result.cond = as_scalar(context_, done.back().value);
  for (size_t i = 0; i < arrays_.results.size(); ++i) {
    const Value lengths = arrays_.results[i].lengths, rows = done[states_ + i].value;
    result.scan_outputs.push_back(lengths ? all_rows(context_, rows, number, lengths, places_[i]) : rows);
  }
  done.resize(states_);
  for (size_t i = 0; i < states_; ++i) (*ends)[i].other = done[i];
  result.carried = crossing.pack(done);
  return result;
}

void WhileConversion::count_replaced() {
  for (const Op& one : context_.ops(body_)) {
    const bool element = one.type == "read_from_array" && arrays_.has(one.input("X", 0));
    const bool count = counted_ && (one.type == "increment" || one.output("Out", 0) == condition_);
    if (element || count || arrays_.has(one.output("Out", 0))) context_.count(one);
  }
}

}  // namespace

void while_loop(OpContext& op) {
  BlockContext& context = block_context(op);
  const int32_t body = context.sub_block();
  if (unroll(context, body, context.op().input("Condition", 0), carried_variables(context, context.uses(body)))) return;
  WhileConversion(context).run();
}

}  // namespace fluid2onnx::natives

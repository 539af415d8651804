#include "runtime/to_onnx/natives/loop_arrays.h"

#include <algorithm>

#include "runtime/support/has_item.h"

namespace fluid2onnx::natives {
namespace {

/// The operators of a loop's body by the variables that they read and write, in their sub-blocks too.
class Body {
 public:
  Body(const Program& program, int32_t block) : ops_(program.blocks[static_cast<size_t>(block)].ops) {
    for (const Op& op : ops_) {
      reads_.push_back(names_read(program, op));
      writes_.push_back(names_written(program, op));
    }
  }

  size_t size() const { return ops_.size(); }

  const Op& op(size_t at) const { return ops_[at]; }
  std::vector<size_t> readers(const std::string& name) const { return with(reads_, name); }
  std::vector<size_t> writers(const std::string& name) const { return with(writes_, name); }
  std::optional<size_t> only_writer(const std::string& name) const {
    const auto all = writers(name);
    return all.size() == 1 ? std::optional(all.front()) : std::nullopt;
  }

 private:
  static std::vector<size_t> with(const std::vector<Strings>& lists, const std::string& name) {
    std::vector<size_t> found;
    for (size_t at = 0; at < lists.size(); ++at) {
      if (has_item(lists[at], name)) found.push_back(at);
    }
    return found;
  }

  const std::vector<Op>& ops_;
  std::vector<Strings> reads_, writes_;
};

bool is_zero(BlockContext& context, Value v) {
  return v && context.is_const(v) && context.dtype(v) == Dtype::int64 && context.const_ints(v) == Ints{0};
}

/// The position of the operator that counts the iterations.
std::optional<size_t> counter(BlockContext& context, const Body& body) {
  for (size_t at = 0; at < body.size(); ++at) {
    const Op& op = body.op(at);
    if (op.type != "increment" || op.get_float("step").value_or(1) != 1) continue;
    const std::string& name = op.input("X", 0);
    if (name.empty() || name != op.output("Out", 0) || !body.only_writer(name)) continue;
    if (is_zero(context, context.held(name).value)) return at;
  }
  return std::nullopt;
}

/// The limit of the counter, if the loop runs while the counter is below it.
Value trip_count(BlockContext& context, const Body& body, size_t counter) {
  const std::string& condition = context.op().input("Condition", 0);
  const auto last = body.only_writer(condition);
  if (!last || *last < counter || body.op(*last).type != "less_than") return {};
  const Op& less = body.op(*last);
  const std::string& end = less.input("Y", 0);
  if (less.input("X", 0) != body.op(counter).input("X", 0) || !body.writers(end).empty()) return {};
  const Value iterations = context.held(end).value;
  if (!iterations || context.dtype(iterations) != Dtype::int64) return {};
  // The condition before the first iteration must be the same comparison.
  const Node* first = context.model().producer(context.input("Condition"));
  const bool same_comparison =
      first && first->op_type == "Less" && is_zero(context, first->inputs[0]) && first->inputs[1] == iterations;
  return same_comparison ? iterations : Value();
}

/// The only element of an array, with its lengths.
std::optional<ValueWithLod> only_element(BlockContext& context, const std::string& array) {
  if (const auto deferred = context.deferred(array)) {
    const Op& op = *deferred->op->op;
    if (op.type != "write_to_array" || !is_zero(context, context.held(*deferred, op.input("I", 0)).value)) return {};
    const ValueWithLod only = context.held(*deferred, op.input("X", 0));
    return only.value ? std::optional(only) : std::nullopt;
  }
  const ValueWithLod held = context.held(array);
  const auto element = [&](Value v) -> std::optional<Value> {
    const auto all = elements_of(context, v);
    return all && all->size() == 1 ? std::optional(all->front()) : std::nullopt;
  };
  const auto value = element(held.value);
  if (!value) return std::nullopt;
  ValueWithLod only{*value};
  for (const Value lengths : held.lod) {
    const auto own = lengths ? element(lengths) : std::optional(Value());
    if (!own) return std::nullopt;
    only.lod.push_back(*own);
  }
  return only;
}

/// True if no later operator of the body writes the variable that an operator puts into an array.
bool unchanged_after(const Body& body, size_t at) {
  const auto writers = body.writers(body.op(at).input("X", 0));
  return writers.empty() || writers.back() < at;
}

std::optional<LoopArrays::State> state(BlockContext& context, const Body& body, size_t counter, size_t write) {
  const std::string& array = body.op(write).output("Out", 0);
  if (body.only_writer(array) != write || write < counter || !unchanged_after(body, write) || context.read_later(array))
    return {};
  LoopArrays::State found{array, {}, body.op(write).input("X", 0), {}};
  for (const size_t at : body.readers(array)) {
    if (at == write) continue;
    const Op& op = body.op(at);
    const std::string& element = op.output("Out", 0);
    if (op.type != "read_from_array" || op.input("I", 0) != body.op(counter).input("X", 0) || at > counter ||
        body.only_writer(element) != at) {
      return {};
    }
    found.read.push_back(element);
  }
  const auto start = only_element(context, array);
  if (!start || found.read.empty()) return {};
  found.start = *start;
  return found;
}

/// True if the operator, the only writer of the array, appends one element in each iteration.
bool appends(const Body& body, std::optional<size_t> counter, size_t write) {
  const std::string &index = body.op(write).input("I", 0), &array = body.op(write).output("Out", 0);
  const auto readers = body.readers(array);
  if (counter && index == body.op(*counter).input("X", 0)) return write < *counter && readers.size() == 1;
  const auto length = body.only_writer(index);
  return length && *length < write && body.op(*length).type == "lod_array_length" && readers.size() == 2 &&
         body.op(*length).input("X", 0) == array;
}

std::optional<LoopArrays::Result> result(BlockContext& context, const Body& body, std::optional<size_t> counter,
                                         size_t write) {
  const std::string& array = body.op(write).output("Out", 0);
  if (body.only_writer(array) != write || !unchanged_after(body, write) || !appends(body, counter, write)) return {};
  const Block& here = context.program().blocks[static_cast<size_t>(context.op().block)];
  if (context.outputs().is_output(array) || !here.find(array)) return {};
  const auto before = elements_of(context, context.held(array).value);
  if (!before || !before->empty()) return {};
  LoopArrays::Result found{array, body.op(write).input("X", 0), {}, {}};
  size_t readers = 0;
  for (const Op* op : context.later_ops()) {
    if (!has_item(names_read(context.program(), *op), array)) continue;
    Lod lengths(2);
    if (op->type == "array_to_lod_tensor") {
      lengths = context.held(op->input("RankTable", 0)).lod;
      if (lengths.size() != 2 || !lengths[0]) return {};
    } else if (op->type != "tensor_array_to_tensor" || !op->get_bool("use_stack").value_or(false)) {
      return {};
    }
    if (readers++ > 0 && found.lengths != lengths[0]) return {};
    found.lengths = lengths[0];
    found.own_lengths = lengths[1];
  }
  return readers > 0 ? std::optional(found) : std::nullopt;
}

}  // namespace

bool LoopArrays::has(const std::string& array) const {
  const auto is = [&](const auto& one) { return one.array == array; };
  return std::any_of(states.begin(), states.end(), is) || std::any_of(results.begin(), results.end(), is);
}

LoopArrays loop_arrays(BlockContext& context, int32_t block) {
  LoopArrays found;
  const Body body(context.program(), block);
  const auto at = counter(context, body);
  if (at) found.step = body.op(*at).input("X", 0);
  for (size_t write = 0; write < body.size(); ++write) {
    const Op& op = body.op(write);
    if (op.type != "write_to_array") continue;
    auto one = at && op.input("I", 0) == found.step ? state(context, body, *at, write) : std::nullopt;
    if (one) found.states.push_back(std::move(*one));
    else if (auto other = result(context, body, at, write)) found.results.push_back(std::move(*other));
  }
  if (found.any() && at) found.iterations = trip_count(context, body, *at);
  return found;
}

std::optional<Values> elements_of(BlockContext& context, Value array) {
  if (!array) return Values();
  const Node* node = context.model().producer(array);
  if (!node || (node->op_type != "SequenceEmpty" && node->op_type != "SequenceConstruct")) return std::nullopt;
  return node->inputs;
}

Value no_lengths(BlockContext& context, Value array) {
  const auto elements = elements_of(context, array);
  if (!elements) context.refuse(E_LOD, "a tensor array has elements with and without sequences (LoD)");
  if (elements->empty()) return context.node("SequenceEmpty", {}, {Attr("dtype", Dtype::int64)});
  const Value none = context.tensor(Operand(Ints{}), Dtype::int64);
  return context.as_sequence(context.node("SequenceConstruct", Operands(elements->size(), none)));
}

}  // namespace fluid2onnx::natives

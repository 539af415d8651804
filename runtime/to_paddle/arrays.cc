#include "runtime/to_paddle/arrays.h"

#include <algorithm>
#include <set>
#include <vector>

#include "runtime/onnx/graph/infer.h"
#include "runtime/paddle/program/make_op.h"

namespace fluid2onnx::natives {
namespace {

std::string new_array(FluidContext& context, Value sequence, const Values& tensors) {
  ProgramBuilder& builder = context.builder();
  const std::string array = builder.new_variable("array", sequence);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Value at = context.tensor(Operand(Constant{Ints{static_cast<int64_t>(i)}, {}, Dtype::int64}));
    write_to_array(builder, array, builder.variable(tensors[i]), builder.variable(at));
  }
  return array;
}

std::string to_write(FluidContext& context, Value sequence, bool is_free) {
  if (const auto tensors = known_tensors(context, sequence)) return new_array(context, sequence, *tensors);
  ProgramBuilder& builder = context.builder();
  const std::string array = builder.variable(sequence);
  if (is_free) {
    builder.unbind(sequence);
    return array;
  }
  const std::string copy = builder.new_variable("array", sequence);
  builder.append(make_op("assign", {{"X", {array}}}, {{"Out", {copy}}}));
  return copy;
}

/// A tensor that is put at a place of a sequence, by the names in the file.
struct Write {
  std::string sequence, tensor, at;
};

bool is_constant_of(const onnx::GraphProto& branch, const std::string& name) {
  const auto named = [&](const onnx::TensorProto& t) { return t.name() == name; };
  return std::any_of(branch.initializer().begin(), branch.initializer().end(), named) ||
         std::any_of(branch.sparse_initializer().begin(), branch.sparse_initializer().end(),
                     [&](const onnx::SparseTensorProto& t) { return named(t.values()); });
}

/// The tensor that a branch inserts for each of its outputs; `in_place`: it erases the old one first. Nothing if the
/// branch does anything else.
std::optional<std::vector<Write>> inserts_of(const onnx::GraphProto& branch, bool in_place) {
  std::vector<Write> writes;
  for (const auto& output : branch.output()) {
    const onnx::NodeProto* insert = producer_in(branch, output.name());
    if (!insert || insert->op_type() != "SequenceInsert" || insert->input_size() != 3) return std::nullopt;
    Write write{insert->input(0), insert->input(1), insert->input(2)};
    if (in_place) {
      const onnx::NodeProto* erase = producer_in(branch, write.sequence);
      if (!erase || erase->op_type() != "SequenceErase" || erase->input_size() != 2 || erase->input(1) != write.at)
        return std::nullopt;
      write.sequence = erase->input(0);
    }
    for (const std::string& name : {write.sequence, write.tensor, write.at}) {
      if (producer_in(branch, name) || is_constant_of(branch, name)) return std::nullopt;
    }
    writes.push_back(write);
  }
  if (branch.node_size() != static_cast<int>(writes.size()) * (in_place ? 2 : 1)) return std::nullopt;
  return writes;
}

/// True if a name is the length of a sequence.
bool is_length(FluidContext& context, const std::string& name, const std::string& sequence) {
  const onnx::NodeProto* node = context.sequences().producer(name);
  if (node && node->op_type() == "SequenceLength") return gives_length(node, sequence);
  const Value v = context.binder().operand(name);
  const auto tensors = known_tensors(context, context.binder().operand(sequence));
  return tensors && context.is_const(v) && context.const_ints(v) == Ints{static_cast<int64_t>(tensors->size())};
}

std::optional<std::vector<Write>> writes_of(FluidContext& context) {
  const onnx::NodeProto* node = context.sequences().current_node();
  if (!node || node->op_type() != "If" || node->input_size() != 1) return std::nullopt;
  const auto writes = inserts_of(context.graph("then_branch"), true),
             others = inserts_of(context.graph("else_branch"), false);
  if (!writes || !others || writes->empty() || writes->size() != others->size()) return std::nullopt;
  const onnx::NodeProto* less = context.sequences().producer(node->input(0));
  if (!less || less->op_type() != "Less" || less->input_size() != 2) return std::nullopt;
  std::set<std::string> sequences;
  bool asked = false;
  for (size_t i = 0; i < writes->size(); ++i) {
    const Write &one = (*writes)[i], &other = (*others)[i];
    const bool same = one.sequence == other.sequence && one.tensor == other.tensor && one.at == other.at;
    if (!same || one.at != less->input(0) || !sequences.insert(one.sequence).second) return std::nullopt;
    // The lengths of an array's elements are in separate arrays, whose own length is not needed.
    asked = asked || is_length(context, less->input(1), one.sequence);
  }
  return asked ? writes : std::nullopt;
}

}  // namespace

std::optional<Values> known_tensors(FluidContext& context, Value sequence) {
  const Node* node = context.builder().model().producer(sequence);
  if (node && node->op_type == "SequenceConstruct") return node->inputs;
  if (node && node->op_type == "SequenceEmpty") return Values();
  return std::nullopt;
}

Value sequence_of(FluidContext& context, const Values& tensors, Dtype dtype) {
  if (tensors.empty()) {
    const Value empty = context.node("SequenceEmpty", {}, {{"dtype", dtype}});
    onnx::TypeProto type = context.builder().model()[empty].type();
    type.set_denotation(kNoTensorsYet);
    context.builder().model().set_type(empty, type);
    return empty;
  }
  return context.node("SequenceConstruct", Operands(tensors.begin(), tensors.end()));
}

std::string array_of(FluidContext& context, Value sequence) {
  ProgramBuilder& builder = context.builder();
  if (builder.is_bound(sequence)) return builder.variable(sequence);
  const auto tensors = known_tensors(context, sequence);
  if (!tensors) return builder.variable(sequence);
  const std::string array = new_array(context, sequence, *tensors);
  builder.bind(array, sequence);
  return array;
}

std::string array_to_write(FluidContext& context, Value sequence) {
  return to_write(context, sequence,
                  context.sequences().is_last_use(sequence) && context.sequences().is_operand_once(sequence));
}

std::string array_to_write_of_all(FluidContext& context, Value sequence) {
  return to_write(context, sequence, context.sequences().is_last_use(sequence));
}

void write_to_array(ProgramBuilder& builder, const std::string& array, const std::string& tensor,
                    const std::string& at) {
  builder.append(make_op("write_to_array", {{"X", {tensor}}, {"I", {at}}}, {{"Out", {array}}}));
}

void join_array(ProgramBuilder& builder, const std::string& array, const std::string& joined, const std::string& sizes,
                int64_t axis, bool stack) {
  builder.declare(sizes, VariableKind::tensor, Dtype::int32);
  builder.append(make_op("tensor_array_to_tensor", {{"X", {array}}}, {{"Out", {joined}}, {"OutIndex", {sizes}}},
                         {{"axis", axis}, {"use_stack", stack}}));
}

bool gives_length(const onnx::NodeProto* node, const std::string& sequence) {
  return node && node->op_type() == "SequenceLength" && node->input_size() == 1 && node->input(0) == sequence;
}

Value longer_sequence(FluidContext& context, Value sequence, Value tensor, Value position) {
  Model& model = context.builder().model();
  Operands operands{sequence, tensor};
  if (position) operands.emplace_back(position);
  const Value longer = context.node("SequenceInsert", operands);
  const bool first = model[sequence].type().denotation() == kNoTensorsYet;
  onnx::TypeProto type = model[longer].type();
  type.clear_denotation();
  if (first) *type.mutable_sequence_type()->mutable_elem_type() = model[tensor].type();
  model.set_type(longer, type);
  return longer;
}

std::optional<Values> convert_conditional_writes(FluidContext& context) {
  const auto writes = writes_of(context);
  if (!writes) return std::nullopt;
  ProgramBuilder& builder = context.builder();
  Values results;
  for (const Write& write : *writes) {
    const Value sequence = context.binder().operand(write.sequence), x = context.binder().operand(write.tensor),
                at = context.binder().operand(write.at);
    results.push_back(longer_sequence(context, sequence, x, at));
    const std::string tensor = builder.variable(x), index = builder.variable(at);
    const std::string array = array_to_write_of_all(context, sequence);
    write_to_array(builder, array, tensor, index);
    builder.bind(array, results.back());
  }
  return results;
}

}  // namespace fluid2onnx::natives

// GraphContext: Loop and If, whose bodies are nested graphs that may read every value around them.
#include <algorithm>
#include <optional>

#include "runtime/convert/graph_context.h"
#include "runtime/onnx/graph/infer.h"
#include "runtime/support/limits.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {
namespace {

/// After these attempts at the types of a loop, dims that still change lose the whole shape.
constexpr int kMaxTypeRounds = 3;

void drop_shape(onnx::TypeProto* type) {
  if (type->has_tensor_type()) type->mutable_tensor_type()->clear_shape();
}

std::string type_text(const onnx::TypeProto& type) {
  if (type.has_sequence_type()) return "an array of " + type_text(type.sequence_type().elem_type());
  if (!type.has_tensor_type()) return type.value_case() == onnx::TypeProto::VALUE_NOT_SET ? "unknown" : "no tensor";
  return std::string(dtype_name(static_cast<Dtype>(type.tensor_type().elem_type())));
}

constexpr int kFirstOpsetOfSequencesInBodies = 13;
constexpr int kFirstOpsetOfDifferentSizes = 11;
constexpr int kFirstOpsetOfStatelessLoops = 11;

/// The type of slices that are stacked along a new first axis, of one entry per iteration.
onnx::TypeProto stacked(onnx::TypeProto type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return type;
  onnx::TensorShapeProto shape;
  shape.add_dim();
  for (const auto& d : type.tensor_type().shape().dim()) *shape.add_dim() = d;
  *type.mutable_tensor_type()->mutable_shape() = std::move(shape);
  return type;
}

bool any_sequence(const std::vector<onnx::TypeProto>& types) {
  return std::any_of(types.begin(), types.end(), [](const auto& t) { return t.has_sequence_type(); });
}

/// True if two tensors have different ranks, or different known sizes.
bool sizes_differ(const onnx::TypeProto& a, const onnx::TypeProto& b) {
  if (!a.tensor_type().has_shape() || !b.tensor_type().has_shape()) return false;
  const auto &dims = a.tensor_type().shape().dim(), &others = b.tensor_type().shape().dim();
  return !std::equal(dims.begin(), dims.end(), others.begin(), others.end(), [](const auto& d, const auto& other) {
    return !d.has_dim_value() || !other.has_dim_value() || d.dim_value() == other.dim_value();
  });
}

}  // namespace

Value GraphContext::condition_tensor(const Operand& condition) {
  const Value value = tensor(condition, Dtype::bool_);
  if (const Dtype found = dtype(value); found != Dtype::bool_ && found != Dtype::undefined) {
    refuse(E_DTYPE, "the condition of a loop or branch is " + std::string(dtype_name(found)) + "; expected bool");
  }
  return value;
}

std::optional<Values> GraphContext::loop_of_constants(const Operand& trips, const Operand& condition,
                                                      const Values& carried, const LoopBody& body) {
  const auto known = [&](const Values& values) {
    return std::all_of(values.begin(), values.end(), [&](Value v) { return emitter_.constant_of(v) != nullptr; });
  };
  const auto holds = [&](const Operand& operand) -> std::optional<bool> {
    if (operand.omitted()) return true;
    const Tensor* one = emitter_.constant_of(condition_tensor(operand));
    return one && one->count() == 1 ? std::optional(one->elements<uint8_t>()[0] != 0) : std::nullopt;
  };
  if (carried.empty() || trips.omitted() || !known(carried)) return std::nullopt;
  const Tensor* count = emitter_.constant_of(tensor(trips, Dtype::int64));
  if (!count || count->count() != 1) return std::nullopt;
  const auto before = emitter_.mark();
  Values state = carried;
  std::optional<bool> again = holds(condition);
  // Only an iteration shows what the loop collects.
  if (again != true || count->elements<int64_t>()[0] < 1) return std::nullopt;
  for (int64_t i = 0; again == true && i < count->elements<int64_t>()[0]; ++i) {
    LoopIteration result = body(tensor(Operand(i), Dtype::int64), state);
    again = holds(result.cond);
    state = std::move(result.carried);
    if (!known(state) || !result.scan_outputs.empty() || i >= limits::kEvaluatedIterations) again.reset();
  }
  if (again) return state;
  emitter_.rollback(before);
  return std::nullopt;
}

Values GraphContext::loop(const Operand& trips, const Operand& condition, const Values& carried, const LoopBody& body) {
  if (carried.empty() && opset() < kFirstOpsetOfStatelessLoops) return loop_without_state(trips, condition, body);
  if (const auto state = loop_of_constants(trips, condition, carried, body)) return *state;
  Node node;
  node.op_type = "Loop";
  const Value trip_count = trips.omitted() ? Value() : tensor(trips, Dtype::int64);
  // ONNX's reference evaluator takes a condition that is left out for false.
  node.inputs = {trip_count, condition_tensor(condition.omitted() ? Operand(true) : condition)};
  node.inputs.insert(node.inputs.end(), carried.begin(), carried.end());
  std::vector<onnx::TypeProto> types;
  for (const Value v : carried) types.push_back(model()[v].type());
  if (any_sequence(types) && opset() < kFirstOpsetOfSequencesInBodies) {
    refuse_opset(kFirstOpsetOfSequencesInBodies, "a Loop that carries tensor arrays");
  }
  node.bodies = {{"body", emit_body(body, &types)}};
  return add_node(std::move(node), types);
}

Values GraphContext::loop_without_state(const Operand& trips, const Operand& condition, const LoopBody& body) {
  const Value idle = tensor(Operand(true), Dtype::bool_);
  Values results = loop(trips, condition, {idle}, [&](Value iteration, const Values& carried) {
    LoopIteration result = body(iteration, {});
    result.carried = carried;
    return result;
  });
  results.erase(results.begin());
  return results;
}

GraphId GraphContext::emit_body(const LoopBody& body, std::vector<onnx::TypeProto>* types) {
  const size_t carried = types->size();
  const auto before = emitter_.mark();
  for (int round = 0;; ++round) {
    const GraphId graph = model().enter();
    const Value iteration = model().add_input("iteration", tensor_type(Dtype::int64, Ints{}));
    const Value cond_in = model().add_input("cond_in", tensor_type(Dtype::bool_, Ints{}));
    Values inside;
    for (const onnx::TypeProto& type : *types) inside.push_back(model().add_input("carried", type));

    const LoopIteration result = body(iteration, inside);
    if (result.carried.size() != carried) {
      throw Error(E_INTERNAL, "a loop carries " + std::to_string(carried) + " tensors, but its body returns " +
                                  std::to_string(result.carried.size()));
    }
    const Value cond_out = result.cond.omitted() ? cond_in : condition_tensor(result.cond);
    std::vector<onnx::TypeProto> merged = *types;
    bool stable = true;
    for (size_t i = 0; i < carried; ++i) {
      const onnx::TypeProto &before_loop = (*types)[i], &made = model()[result.carried[i]].type();
      if (!merge_types(&merged[i], made)) {
        refuse(E_LOOP_TYPE, "tensor " + std::to_string(i) + " that a loop carries is " + type_text(before_loop) +
                                " before the loop and " + type_text(made) + " after an iteration");
      }
      if (same_type(before_loop, merged[i])) continue;
      stable = false;
      if (round >= kMaxTypeRounds) drop_shape(&merged[i]);
    }
    if (stable) {
      emitter_.add_output(cond_out);
      for (const Value v : result.carried) emitter_.add_output(v);
      for (const Value v : result.scan_outputs) {
        types->push_back(stacked(model()[v].type()));
        emitter_.add_output(v);
      }
      model().leave();
      return graph;
    }
    emitter_.rollback(before);
    *types = std::move(merged);
  }
}

Values GraphContext::add_node(Node node, const std::vector<onnx::TypeProto>& types) {
  for (size_t i = 0; i < types.size(); ++i) node.outputs.push_back(model().new_value(node.op_type));
  const Values results = node.outputs;
  model().add_node(std::move(node));
  for (size_t i = 0; i < types.size(); ++i) model().set_type(results[i], types[i]);
  return results;
}

Values GraphContext::if_else(const Operand& condition, const std::function<Values()>& then_branch,
                             const std::function<Values()>& else_branch) {
  const Value chosen = condition_tensor(condition);
  if (const Tensor* known = emitter_.constant_of(chosen); known && known->count() == 1) {
    return known->elements<uint8_t>()[0] ? then_branch() : else_branch();
  }
  Node node;
  node.op_type = "If";
  node.inputs = {chosen};
  std::vector<onnx::TypeProto> types;
  const auto emit_branch = [&](const char* name, const std::function<Values()>& branch, bool first) {
    const GraphId graph = model().enter();
    const Values results = branch();
    if (!first && results.size() != types.size()) {
      throw Error(E_INTERNAL, "the branches of an If return " + std::to_string(types.size()) + " and " +
                                  std::to_string(results.size()) + " tensors");
    }
    for (size_t i = 0; i < results.size(); ++i) {
      emitter_.add_output(results[i]);
      const onnx::TypeProto& made = model()[results[i]].type();
      if (first) {
        types.push_back(made);
        continue;
      }
      if (opset() < kFirstOpsetOfDifferentSizes && sizes_differ(types[i], made)) {
        refuse_opset(kFirstOpsetOfDifferentSizes, "an If whose branches return different sizes");
      }
      if (const std::string other = type_text(types[i]); !merge_types(&types[i], made)) {
        refuse(E_IF_TYPE, "result " + std::to_string(i) + " of an If is " + other + " in one branch and " +
                              type_text(made) + " in the other");
      }
    }
    model().leave();
    node.bodies.push_back({name, graph});
  };
  emit_branch("then_branch", then_branch, true);
  emit_branch("else_branch", else_branch, false);
  if (types.empty()) return {};
  if (any_sequence(types) && opset() < kFirstOpsetOfSequencesInBodies) {
    refuse_opset(kFirstOpsetOfSequencesInBodies, "an If that returns tensor arrays");
  }
  return add_node(std::move(node), types);
}

}  // namespace fluid2onnx

#include "runtime/to_onnx/binder.h"

#include <algorithm>
#include <memory>

#include "runtime/convert/lod_shares.h"
#include "runtime/support/refused.h"
#include "runtime/to_onnx/declared_sizes.h"
#include "runtime/to_onnx/deferred.h"
#include "runtime/to_onnx/operator_facts.h"

namespace fluid2onnx {
void Binder::set_input(Scope& scope, const std::string& variable, Value value, Lod lod) {
  any_lod_ = any_lod_ || !lod.empty();
  scope.set(variable, {value, false, nullptr, false, std::move(lod)});
}

const Binding* Binder::resolve(Scope& scope, const std::string& name) {
  const Binding* binding = scope.find(name);
  if (binding && binding->deferred) {
    // The conversion replaces the binding.
    const std::shared_ptr<Deferred> deferred = binding->deferred;
    deferred->convert(*deferred);
    return scope.find(name);
  }
  if (binding) return binding;

  const Parameter* parameter = program_.find_parameter(name);
  if (!parameter) return nullptr;
  scope.set(name, {parameters_.enter(*parameter), false, nullptr});
  return scope.find(name);
}

Value Binder::operand(const Op& op, Scope& scope, const std::string& name) {
  const Binding* binding = resolve(scope, name);
  if (!binding) {
    if (const Value array = empty_array(op, name)) return array;
    throw Refused(E_NO_VALUE, "variable '" + name + "' is read here before it has a value");
  }
  const Value sequence = takes_steps(op.type) ? Value() : sequence_of(op, name, *binding);
  return sequence ? sequence : binding->value;
}

Value Binder::empty_array(const Op& op, const std::string& name) {
  const Variable* declared = program_.find_variable(op.block, name);
  if (!declared || declared->kind != VariableKind::tensor_array || declared->dtype == Dtype::undefined) return {};
  return emitter_.emit_one("SequenceEmpty", {}, {Attr("dtype", declared->dtype)});
}

Lod Binder::operand_lod(const Op& op, Scope& scope, const std::string& name) {
  const Binding* binding = resolve(scope, name);
  if (!binding || (!takes_steps(op.type) && holds_steps(op, name, *binding))) return {};
  return binding->lod;
}

bool Binder::holds_steps(const Op& op, const std::string& name, const Binding& binding) const {
  if (binding.lod.size() != 2 || !binding.value) return false;
  if (emitter_.model()[binding.value].type().has_sequence_type()) return false;
  const Variable* declared = program_.find_variable(op.block, name);
  return declared && declared->kind == VariableKind::tensor_array;
}

Value Binder::sequence_of(const Op& op, const std::string& name, const Binding& binding) {
  if (!holds_steps(op, name, binding)) return {};
  const Value counts = emitter_.emit_one("Sub", {binding.lod[1], binding.lod[0]});
  return emitter_.emit_one("SplitToSequence", {binding.value, counts}, {Attr("axis", 0), Attr("keepdims", 1)});
}

Binder::Results Binder::results_of(const Op& op, const Scope& from, bool tainted) const {
  const auto value_of = [&](const std::string& name) {
    const Binding* binding = from.find(name);
    return binding ? binding->value : Value();
  };
  return {tainted, gives_undefined(op), declares_sizes(program_, emitter_.model(), op, value_of)};
}

void Binder::bind(const Op& op, Scope& to, const std::string& name, Value value, Lod lod, const Results& results) {
  any_lod_ = any_lod_ || !lod.empty();
  add_rank(op, name, value);
  if (results.sized)
    if (const Variable* declared = program_.find_variable(op.block, name))
      take_declared_sizes(emitter_.model(), value, *declared);
  if (!kept_.count(name)) to.set(name, {value, results.tainted, nullptr, results.undefined, std::move(lod)});
}

void Binder::add_rank(const Op& op, const std::string& name, Value value) {
  Model& model = emitter_.model();
  const Dtype dtype = model.dtype(value);
  if (model.shape(value) || dtype == Dtype::undefined) return;
  const Variable* declared = program_.find_variable(op.block, name);
  // Older releases of Paddle declare 0-D tensors as [1].
  if (!declared || !declared->dims || declared->dims->size() <= 1) return;
  model.set_type(value, tensor_type(dtype, Ints(declared->dims->size(), -1)));
  declared_ranks_.insert(value.id);
}

Lod Binder::passed_lod(const Op& op, std::string_view slot, size_t index, Value result, const Scope& scope) const {
  const LodShare* share = any_lod_ ? find_lod_share(op.type, slot) : nullptr;
  if (!share) return {};
  const std::string& operand = op.input(share->operand, share->first ? 0 : index);
  const Binding* binding = operand.empty() ? nullptr : scope.find(operand);
  if (!binding || binding->lod.empty()) return {};
  // A result with another number of rows has no LoD; Paddle decides it by attributes (slice along axis 0).
  const Model& model = emitter_.model();
  const auto *rows = model.shape(binding->value), *result_rows = model.shape(result);
  if (!result_rows || !rows) return binding->lod;
  if (result_rows->dim_size() == 0 || rows->dim_size() == 0) return {};
  const auto &from = rows->dim(0), &to = result_rows->dim(0);
  const bool differ = from.has_dim_value() && to.has_dim_value() && from.dim_value() != to.dim_value();
  return differ ? Lod() : binding->lod;
}

void Binder::bind_placeholders(const NeededOp& live, Scope& scope) {
  Model& model = emitter_.model();
  for (const std::string& name : live.read_later) {
    if (kept_.count(name)) continue;
    const Variable* declared = program_.find_variable(live.op->block, name);
    const Value value = model.new_value(name);
    if (declared && declared->dtype != Dtype::undefined) {
      model.set_type(value, declared_type(*declared));
    }
    Lod lod(static_cast<size_t>(std::max(0, declared ? declared->lod_level : 0)));
    for (Value& lengths : lod) {
      lengths = model.new_value(name + ".lengths");
      const bool array = declared->kind == VariableKind::tensor_array;
      model.set_type(lengths, array ? array_type(Dtype::int64) : tensor_type(Dtype::int64, Ints{-1}));
    }
    any_lod_ = any_lod_ || !lod.empty();
    scope.set(name, {value, true, nullptr, false, std::move(lod)});
  }
}

}  // namespace fluid2onnx

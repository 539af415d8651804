#include "runtime/to_onnx/control_flow.h"

#include "runtime/convert/complex.h"
#include "runtime/onnx/graph/constant.h"
#include "runtime/support/refused.h"
#include "runtime/to_onnx/problems.h"

namespace fluid2onnx {

BlockContext& block_context(OpContext& op) {
  auto* context = dynamic_cast<BlockContext*>(&op);
  if (!context) op.refuse(E_UNSUPPORTED, "control flow is not supported by this context");
  return *context;
}

std::vector<const Op*> BlockContext::later_ops() const {
  std::vector<const Op*> later;
  for (size_t i = at_.index + 1; i < at_.ops.size(); ++i) later.push_back(at_.ops[i].op);
  return later;
}

Value BlockContext::required_input(std::string_view slot) {
  const Value value = input(slot);
  if (!value) refuse(E_BAD_PROGRAM, "operand '" + std::string(slot) + "' is missing");
  return value;
}

ValueWithLod BlockContext::held(const std::string& name) {
  const Binding* binding = flow_.binder.resolve(at_.scope, name);
  if (!binding || binding->undefined) return ValueWithLod();
  if (const Value array = flow_.binder.sequence_of(op(), name, *binding)) return ValueWithLod{array};
  return ValueWithLod{binding->value, binding->lod};
}

void BlockContext::emit_until(const std::function<bool()>& emit) {
  Emitter& emitter = flow_.emitter;
  for (const auto before = emitter.mark(); !emit();) emitter.rollback(before);
}

bool BlockContext::undefined(const std::string& name) const {
  const Binding* binding = at_.scope.find(name);
  return binding && binding->undefined;
}

Value BlockContext::zeros_like(const std::string& name) {
  if (const Value array = flow_.binder.empty_array(op(), name)) return array;
  const Variable* declared = flow_.program.find_variable(op().block, name);
  if (declared && declared->kind != VariableKind::tensor) {
    refuse(E_UNSUPPORTED, "'" + name + "' is a " + variable_kind_name(declared->kind) +
                              "; blocks can return only tensors and tensor arrays");
  }
  if (!declared || declared->dtype == Dtype::undefined) {
    refuse(E_NO_VALUE, "'" + name + "' can be read before it has a value");
  }
  Ints dims = declared->dims.value_or(Shape());
  for (int64_t& dim : dims) dim = dim < 0 ? 1 : dim;
  // Built by a node, so that large ones take no space in the file.
  const Value shape = tensor(Operand(dims), Dtype::int64);
  Value zeros = node("ConstantOfShape", {shape});
  if (dtype(zeros) != part_dtype(declared->dtype)) {
    zeros = node("Cast", {zeros}, {Attr("to", part_dtype(declared->dtype))});
  }
  return zeros;
}

Value BlockContext::as_sequence(Value v) {
  onnx::TypeProto type = model()[v].type();
  type.mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->clear_shape();
  model().set_type(v, type);
  return v;
}

Value BlockContext::as_lengths(Value v) {
  if (!model().shape(v)) model().set_type(v, tensor_type(Dtype::int64, Ints{-1}));
  return v;
}

Value BlockContext::with_declared_rank(Value v, const std::string& name) {
  const Variable* declared = flow_.program.find_variable(op().block, name);
  if (!model().shape(v) && declared && declared->dims && !declared->dims->empty()) {
    model().set_type(v, tensor_type(model().dtype(v), Ints(declared->dims->size(), -1)));
  }
  return v;
}

int32_t BlockContext::sub_block() { return sub_block_of(op()); }

int32_t BlockContext::sub_block_of(const Op& owner) {
  const std::vector<int32_t> blocks = owner.sub_blocks();
  if (blocks.size() != 1) {
    refuse(E_BAD_PROGRAM, "expected one sub-block of '" + owner.type + "', found " + std::to_string(blocks.size()));
  }
  return blocks.front();
}

void BlockContext::bring_in_reads(int32_t block, const std::function<bool(const std::string&)>& wanted) {
  for (const std::string& name : block_uses(program(), block).reads) {
    if (wanted(name)) flow_.binder.resolve(at_.scope, name);
  }
}

std::vector<ValueWithLod> BlockContext::run_in(Scope& scope, int32_t block, const Strings& wanted) {
  flow_.run(block, scope, NameSet(wanted.begin(), wanted.end()));
  std::vector<ValueWithLod> all;
  for (const std::string& name : wanted) {
    const Binding* binding = flow_.binder.resolve(scope, name);
    if (!binding) refuse(E_NO_VALUE, "block " + std::to_string(block) + " does not assign '" + name + "'");
    all.push_back({binding->value, binding->lod});
  }
  return all;
}

std::vector<ValueWithLod> BlockContext::run_block(int32_t block,
                                                  const std::vector<std::pair<std::string, ValueWithLod>>& given,
                                                  const Strings& wanted, const Strings& kept) {
  Scope scope(&at_.scope);
  for (const auto& [name, held] : given) scope.set(name, {held.value, at_.tainted, nullptr, false, held.lod});
  // Restored also after a refusal, because later operators are still converted.
  struct PutBack {
    Binder& binder;
    NameSet before;
    ~PutBack() { binder.exchange_kept(std::move(before)); }
  } put_back{flow_.binder, flow_.binder.kept()};
  for (const std::string& name : kept) flow_.binder.keep(name);
  return run_in(scope, block, wanted);
}

bool BlockContext::defer() {
  if (at_.deferred) return false;
  auto deferred = std::make_shared<Deferred>();
  deferred->op = &at_.live;
  deferred->home = &at_.scope;
  deferred->convert = flow_.convert;
  const bool tainted = reads_tainted(flow_.program, op(), at_.scope);
  // By the time it is converted, these may have been overwritten.
  NameSet names(at_.live.read_later.begin(), at_.live.read_later.end());
  for (const std::string& name : names_read(flow_.program, op())) names.insert(name);
  for (const std::string& name : names) {
    if (const Binding* binding = flow_.binder.resolve(at_.scope, name)) deferred->scope.set(name, *binding);
  }
  for (const std::string& name : at_.live.read_later) at_.scope.set(name, {Value(), tainted, deferred});
  deferring_ = true;
  return true;
}

std::shared_ptr<Deferred> BlockContext::deferred(const std::string& name) const {
  const Binding* binding = at_.scope.find(name);
  return binding ? binding->deferred : nullptr;
}

ValueWithLod BlockContext::held(const Deferred& operation, const std::string& name) const {
  const Binding* binding = operation.scope.find(name);
  return binding && !binding->undefined && !binding->deferred ? ValueWithLod{binding->value, binding->lod}
                                                              : ValueWithLod();
}

std::vector<ValueWithLod> BlockContext::run_deferred(Deferred& operation, const Strings& wanted) {
  Scope scope(&operation.scope);
  return run_in(scope, sub_block_of(*operation.op->op), wanted);
}

}  // namespace fluid2onnx

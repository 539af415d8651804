// GraphContext: operands become tensors of the dtypes that a node wants.
#include "runtime/convert/complex.h"
#include "runtime/convert/compute.h"
#include "runtime/convert/dims_tensor.h"
#include "runtime/convert/graph_context.h"
#include "runtime/onnx/graph/constant.h"
#include "runtime/support/limits.h"
#include "runtime/support/overloaded.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {
namespace {

bool holds_floats(const Constant& c) { return std::holds_alternative<Floats>(c.data); }

/// Int constants in a float's place are its usual default, and the other way round.
Dtype admitted_dtype(const SchemaParam& param, Dtype wanted) {
  if (param.dtypes.empty() || param.dtypes.has(wanted)) return wanted;
  for (const Dtype d : {Dtype::float32, Dtype::int64, Dtype::int32, Dtype::bool_, Dtype::uint8, Dtype::float64}) {
    if (param.dtypes.has(d)) return d;
  }
  return wanted;
}

/// The dtypes of the operands of one type variable: tensors fix it, numbers follow.
struct VariableDtypes {
  Dtype fixed = Dtype::undefined, numbers = Dtype::undefined;
  bool float_numbers = false;

  void note(const Model& model, const Operand& operand) {
    Dtype own = Dtype::undefined;
    if (const auto* v = std::get_if<Value>(&operand.rep())) own = model.dtype(*v);
    if (const auto* c = std::get_if<Constant>(&operand.rep())) own = c->dtype.value_or(Dtype::undefined);
    if (own != Dtype::undefined && fixed == Dtype::undefined) fixed = own;
    if (std::holds_alternative<Value>(operand.rep())) return;
    if (const auto constant = known_constant(operand)) {
      float_numbers = float_numbers || holds_floats(*constant);
    } else if (const auto* s = std::get_if<Scalar>(&operand.rep())) {
      numbers = model.dtype(s->tensor);
    } else if (std::holds_alternative<Dim>(operand.rep()) || std::holds_alternative<Dims>(operand.rep())) {
      if (numbers == Dtype::undefined) numbers = Dtype::int64;
    } else if (std::holds_alternative<Scalars>(operand.rep())) {
      numbers = Dtype::float32;
    }
  }

  Dtype chosen() const {
    if (fixed != Dtype::undefined) return fixed;
    const bool floats = float_numbers || (numbers != Dtype::undefined && is_floating(numbers));
    if (!floats) return numbers;
    return is_floating(numbers) ? numbers : Dtype::float32;
  }
};

}  // namespace

Value GraphContext::tensor(const Operand& operand, Dtype dtype) {
  if (const auto constant = known_constant(operand)) {
    const Dtype wanted = constant->dtype             ? *constant->dtype
                         : dtype != Dtype::undefined ? dtype
                                                     : natural_dtype(*constant);
    std::string why;
    const auto made = make_tensor(*constant, wanted, &why);
    if (!made) refuse(is_complex(wanted) ? E_COMPLEX : E_CONSTANT_DTYPE, why);
    return emitter_.constant(*made);
  }
  const auto as_wanted = [&](Value v) {
    return dtype == Dtype::undefined || model().dtype(v) == dtype ? v : emitter_.cast(v, dtype);
  };
  return std::visit(
      Overloaded{
          [](std::monostate) { return Value(); },
          [](Value v) { return v; },
          [](const Constant&) { return Value(); },
          [&](const Dim& d) { return as_wanted(dim_tensor(emitter_, d)); },
          [&](const Dims& d) { return as_wanted(dims_tensor(emitter_, d)); },
          [&](const Scalar& s) {
            const auto* shape = model().shape(s.tensor);
            return as_wanted(shape && shape->dim_size() == 0 ? s.tensor : reshape(emitter_, s.tensor, {}));
          },
          [&](const Scalars& list) {
            Dtype common = dtype;
            for (const Scalar& s : list) {
              if (common == Dtype::undefined && !s.known()) common = model().dtype(s.tensor);
            }
            Values pieces;
            for (const Scalar& s : list) {
              const Value v = s.known() ? tensor(s.known_value, common) : s.tensor;
              pieces.push_back(reshape(emitter_, model().dtype(v) == common ? v : emitter_.cast(v, common), {1}));
            }
            return pieces.size() == 1 ? pieces[0] : emitter_.emit_one("Concat", pieces, {Attr("axis", 0)});
          },
      },
      operand.rep());
}

Dtype GraphContext::free_dtype(const Operand& operand, const SchemaParam* param) {
  if (const Dtype only = param ? param->dtypes.only() : Dtype::undefined; only != Dtype::undefined) return only;
  Dtype dtype = Dtype::int64;
  if (const auto constant = known_constant(operand)) dtype = natural_dtype(*constant);
  else if (const auto* s = std::get_if<Scalar>(&operand.rep())) dtype = model().dtype(s->tensor);
  return param ? admitted_dtype(*param, dtype) : dtype;
}

Values GraphContext::node(const char* op_type, const Operands& operands, const Attrs& attrs, int outputs) {
  const Schema* schema = find_schema(op_type, opset());
  if (!schema) return emitter_.emit(op_type, {}, attrs, outputs);  // refuses
  if (++nodes_ > limits::kOperatorNodes) {
    refuse(E_TOO_LARGE, "the operator would become more than " + std::to_string(limits::kOperatorNodes) + " nodes");
  }
  for (const Attr& attr : attrs) {
    const auto* number = std::get_if<int64_t>(&attr.value);
    if (!number || *number != 0 || (attr.name != "to" && attr.name != "dtype")) continue;
    refuse(E_BAD_PROGRAM, "the dtype is missing: neither the operator nor its variables declare it");
  }

  std::vector<VariableDtypes> variables(schema->variables.size());
  const auto variable_of = [&](size_t i) -> VariableDtypes* {
    const SchemaParam* param = schema->input(i);
    return param && param->variable >= 0 ? &variables[static_cast<size_t>(param->variable)] : nullptr;
  };
  for (size_t i = 0; i < operands.size(); ++i) {
    if (VariableDtypes* variable = variable_of(i)) variable->note(model(), operands[i]);
  }

  Values inputs;
  inputs.reserve(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand& operand = operands[i];
    if (operand.omitted() || std::holds_alternative<Value>(operand.rep())) {
      inputs.push_back(tensor(operand));
      continue;
    }
    const VariableDtypes* variable = variable_of(i);
    if (variable && variable->fixed != Dtype::undefined && !is_floating(variable->fixed)) {
      const auto* s = std::get_if<Scalar>(&operand.rep());
      if (s && !s->known() && is_floating(model().dtype(s->tensor))) {
        refuse(E_CONSTANT_DTYPE, "a float tensor is not supported as an operand of '" + std::string(op_type) + "' on " +
                                     std::string(dtype_name(variable->fixed)));
      }
    }
    const Dtype dtype = variable ? variable->chosen() : Dtype::undefined;
    inputs.push_back(tensor(operand, dtype != Dtype::undefined ? dtype : free_dtype(operand, schema->input(i))));
  }
  Values replaced;
  if (outputs == 1 && replace_node(op_type, inputs, attrs, &replaced)) return replaced;
  return emitter_.emit(op_type, inputs, attrs, outputs);
}

}  // namespace fluid2onnx

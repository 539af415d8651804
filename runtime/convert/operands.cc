// GraphContext: operands become tensors of the dtypes that a node wants.
#include "runtime/convert/operands.h"
#include "runtime/convert/complex.h"
#include "runtime/convert/dims_tensor.h"
#include "runtime/convert/graph_context.h"
#include "runtime/onnx/graph/constant.h"
#include "runtime/support/limits.h"
#include "runtime/support/overloaded.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {
namespace {

Constant known_list(const Scalars& list) {
  Floats numbers;
  for (const Scalar& s : list) numbers.push_back(s.known_value);
  return Constant{numbers, {static_cast<int64_t>(numbers.size())}, {}};
}

bool all_known(const Dims& dims) {
  if (!dims.sized()) return false;
  for (const Dim& d : dims.items) {
    if (!d.known()) return false;
  }
  return true;
}

bool all_known(const Scalars& list) {
  for (const Scalar& s : list) {
    if (!s.known()) return false;
  }
  return true;
}

bool holds_floats(const Constant& c) { return std::holds_alternative<Floats>(c.data); }

/// Int constants in a float's place are its usual default, and the other way round.
Dtype admitted_dtype(const SchemaParam& param, Dtype wanted) {
  if (param.dtypes.empty() || param.dtypes.has(wanted)) return wanted;
  for (const Dtype d : {Dtype::float32, Dtype::int64, Dtype::int32, Dtype::bool_, Dtype::uint8, Dtype::float64}) {
    if (param.dtypes.has(d)) return d;
  }
  return wanted;
}

}  // namespace

std::optional<Constant> known_constant(const Operand& operand) {
  if (const auto* c = std::get_if<Constant>(&operand.rep())) return *c;
  if (const auto* d = std::get_if<Dim>(&operand.rep()); d && d->known()) return Constant{Ints{d->known_value}, {}, {}};
  if (const auto* s = std::get_if<Scalar>(&operand.rep()); s && s->known()) {
    return Constant{Floats{s->known_value}, {}, {}};
  }
  if (const auto* d = std::get_if<Dims>(&operand.rep()); d && all_known(*d)) {
    Ints numbers;
    for (const Dim& item : d->items) numbers.push_back(item.known_value);
    return Constant{numbers, {static_cast<int64_t>(numbers.size())}, {}};
  }
  if (const auto* list = std::get_if<Scalars>(&operand.rep()); list && all_known(*list)) return known_list(*list);
  return std::nullopt;
}

namespace {

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
  const auto variable_of = [&](size_t i) {
    const SchemaParam* param = schema->input(i);
    return param ? param->variable : -1;
  };
  for (size_t i = 0; i < operands.size(); ++i) {
    const int variable = variable_of(i);
    if (variable >= 0) variables[static_cast<size_t>(variable)].note(model(), operands[i]);
  }

  Values inputs;
  inputs.reserve(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand& operand = operands[i];
    if (operand.omitted() || std::holds_alternative<Value>(operand.rep())) {
      inputs.push_back(operand.omitted() ? Value() : std::get<Value>(operand.rep()));
      continue;
    }
    const SchemaParam* param = schema->input(i);
    const int variable = variable_of(i);
    const auto constant = known_constant(operand);
    Dtype dtype = Dtype::undefined;
    if (variable >= 0) {
      dtype = variables[static_cast<size_t>(variable)].chosen();
      const Dtype fixed = variables[static_cast<size_t>(variable)].fixed;
      if (fixed != Dtype::undefined && !is_floating(fixed)) {
        const auto* s = std::get_if<Scalar>(&operand.rep());
        if (s && !s->known() && is_floating(model().dtype(s->tensor))) {
          refuse(E_CONSTANT_DTYPE, "a float tensor is not supported as an operand of '" + std::string(op_type) +
                                       "' on " + std::string(dtype_name(fixed)));
        }
      }
    }
    if (dtype == Dtype::undefined && param) dtype = param->dtypes.only();
    if (dtype == Dtype::undefined) {
      dtype = constant ? natural_dtype(*constant) : Dtype::int64;
      if (std::holds_alternative<Scalar>(operand.rep()) && !constant) {
        dtype = model().dtype(std::get<Scalar>(operand.rep()).tensor);
      }
      if (param) dtype = admitted_dtype(*param, dtype);
    }
    inputs.push_back(tensor(operand, dtype));
  }
  Values replaced;
  if (outputs == 1 && replace_node(op_type, inputs, attrs, &replaced)) return replaced;
  return emitter_.emit(op_type, inputs, attrs, outputs);
}

}  // namespace fluid2onnx

#include "runtime/to_paddle/kernel_dtypes.h"

#include <algorithm>
#include <vector>

#include "runtime/to_paddle/operator_facts.h"

namespace fluid2onnx {
namespace {

/// The smallest dtype of the kernel that holds the values of a dtype which it does not support.
Dtype replacement_for(const FluidOperator& op, Dtype dtype) {
  const auto first = [&](std::initializer_list<Dtype> list) {
    for (const Dtype d : list) {
      if (op.dtypes.count(d)) return d;
    }
    return Dtype::undefined;
  };
  using D = Dtype;
  switch (dtype) {
    case D::float16:
    case D::bfloat16: return first({D::float32, D::float64});
    case D::float32: return first({D::float64});
    case D::float64: return first({D::float32});
    case D::bool_:
    case D::uint8:
    case D::int8:
    case D::int16: return first({D::int32, D::int64, D::float32, D::float64});
    case D::int32: return first({D::int64, D::float64, D::float32});
    case D::int64: return first({D::int32, D::float64, D::float32});
    default: return D::undefined;
  }
}

/// The dtypes of all tensors among the operands.
std::vector<Dtype> tensor_dtypes(const Model& model, const FluidOperator& known, const FluidOperands& operands) {
  std::vector<Dtype> dtypes;
  for (const auto& [slot, list] : operands) {
    for (const Operand& operand : list) {
      const auto* v = std::get_if<Value>(&operand.rep());
      if (v && *v && known.input(slot) && model.dtype(*v) != Dtype::undefined) dtypes.push_back(model.dtype(*v));
    }
  }
  return dtypes;
}

/// True if the first operand determines the kernel's dtype: it is floating point, or a boolean that is not a condition.
/// Integers may be indices into a later operand.
bool first_slot_decides(const FluidOperator& known, const FluidOperands& operands, const std::vector<Dtype>& dtypes) {
  if (dtypes.empty() || known.inputs.empty() || operands.front().slot != known.inputs.front().name) return false;
  const auto& list = operands.front().operands;
  if (list.empty() || !std::get_if<Value>(&list.front().rep())) return false;
  const Dtype d = dtypes.front();
  return is_floating(d) || (d == Dtype::bool_ && !is_condition(known.inputs.front().name));
}

/// The first dtype that the kernel supports, else the first that is not a condition's.
Dtype usual_dtype(const FluidOperator& known, const FluidOperands& operands, const std::vector<Dtype>& dtypes) {
  if (first_slot_decides(known, operands, dtypes)) return dtypes.front();
  const auto first = [&](const auto& fits) {
    const auto found = std::find_if(dtypes.begin(), dtypes.end(), fits);
    return found == dtypes.end() ? Dtype::undefined : *found;
  };
  Dtype usual = first([&](Dtype d) { return known.dtypes.count(d) > 0; });
  if (usual == Dtype::undefined) usual = first([](Dtype d) { return d != Dtype::bool_; });
  return usual == Dtype::undefined && !dtypes.empty() ? dtypes.front() : usual;
}

}  // namespace

KernelDtypes kernel_dtypes(const Model& model, const FluidOperator& known, const FluidOperands& operands) {
  const Dtype usual = usual_dtype(known, operands, tensor_dtypes(model, known, operands));
  const bool fits = usual == Dtype::undefined || known.dtypes.empty() || known.dtypes.count(usual);
  return {usual, fits ? usual : replacement_for(known, usual)};
}

}  // namespace fluid2onnx

#include "runtime/to_onnx/declared_sizes.h"

#include <algorithm>

#include "runtime/convert/complex.h"
#include "runtime/to_onnx/operator_facts.h"

namespace fluid2onnx {
namespace {

bool is_declared_so(const Model& model, Value value, const Variable* declared) {
  const auto* shape = value ? model.shape(value) : nullptr;
  if (!shape || !declared || !declared->dims) return false;
  const Shape& dims = *declared->dims;
  const auto same = [](const auto& dim, int64_t wanted) { return dim.has_dim_value() && dim.dim_value() == wanted; };
  return std::equal(shape->dim().begin(), shape->dim().end(), dims.begin(), dims.end(), same);
}

}  // namespace

bool declares_sizes(const Program& program, const Model& model, const Op& op,
                    const std::function<Value(const std::string&)>& value_of) {
  if (!has_sizes_of_operands(op.type)) return false;
  for (const Slot& slot : op.inputs) {
    for (const std::string& name : slot.args) {
      if (!name.empty() && !is_declared_so(model, value_of(name), program.find_variable(op.block, name))) return false;
    }
  }
  return true;
}

onnx::TypeProto array_type(Dtype dtype) {
  onnx::TypeProto array;
  *array.mutable_sequence_type()->mutable_elem_type() = tensor_type(dtype);
  return array;
}

onnx::TypeProto declared_type(const Variable& declared) {
  if (declared.kind == VariableKind::tensor_array) return array_type(declared.dtype);
  constexpr int64_t kLargest = int64_t{1} << 31;
  std::optional<Ints> dims = declared.dims;
  if (dims)
    std::replace_if(
        dims->begin(), dims->end(), [](int64_t d) { return d > kLargest; }, int64_t{-1});
  return tensor_type(declared.dtype, dims);
}

void take_declared_sizes(Model& model, Value value, const Variable& declared) {
  if (!declared.dims || model.dtype(value) == Dtype::undefined || is_complex(declared.dtype)) return;
  const auto* shape = model.shape(value);
  if (shape && static_cast<size_t>(shape->dim_size()) != declared.dims->size()) return;
  for (size_t i = 0; i < declared.dims->size(); ++i) {
    const int64_t size = (*declared.dims)[i];
    if (size <= 0) return;
    if (!shape) continue;
    const auto& dim = shape->dim(static_cast<int>(i));
    if (dim.has_dim_value() && dim.dim_value() != size) return;
  }
  model.set_type(value, tensor_type(model.dtype(value), declared.dims));
}

}  // namespace fluid2onnx

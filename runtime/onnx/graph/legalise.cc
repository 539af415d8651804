#include "runtime/onnx/graph/legalise.h"

#include <algorithm>
#include <map>

#include "runtime/onnx/graph/runtime_kernels.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {
namespace {

/// The dtypes that can replace a dtype, the nearest first.
const std::vector<Dtype>& substitutes(Dtype dtype) {
  using D = Dtype;
  static const auto* table = new std::map<Dtype, std::vector<Dtype>>{
      {D::bool_, {D::uint8, D::int32, D::int64, D::float32}},
      {D::int8, {D::int16, D::int32, D::int64, D::float32, D::float64}},
      {D::uint8, {D::uint16, D::int16, D::int32, D::int64, D::float32, D::float64}},
      {D::int16, {D::int32, D::int64, D::float32, D::float64}},
      {D::uint16, {D::uint32, D::int32, D::int64, D::float32, D::float64}},
      {D::int32, {D::int64, D::float64, D::float32}},
      {D::uint32, {D::uint64, D::int64, D::float64, D::float32}},
      // No wider integer. float64 is exact up to 2^53; the others are better than a model that does not load.
      {D::int64, {D::float64, D::int32, D::float32}},
      {D::uint64, {D::int64, D::float64, D::float32}},
      {D::float16, {D::float32, D::float64}},
      {D::bfloat16, {D::float32, D::float64}},
      {D::float32, {D::float64}},
      {D::float64, {D::float32}}};
  static const std::vector<Dtype> none;
  const auto found = table->find(dtype);
  return found == table->end() ? none : found->second;
}

/// The first opset above `opset` at which the operand can be of that dtype (or be cast); 0: none.
int first_opset_for(size_t index, std::string_view op, int opset, Dtype dtype, bool may_cast) {
  for (int newer = opset + 1; newer <= newest_opset(); ++newer) {
    const Schema* schema = find_schema(op, newer);
    const SchemaParam* param = schema ? schema->input(index) : nullptr;
    if (!param) continue;
    if (admits(*schema, *param, op, newer, dtype)) return newer;
    if (!may_cast) continue;
    for (const Dtype d : substitutes(dtype)) {
      if (admits(*schema, *param, op, newer, d)) return newer;
    }
  }
  return 0;
}

}  // namespace

bool admits(const Schema& schema, const SchemaParam& param, std::string_view op, int opset, Dtype dtype,
            const Attributes& attributes) {
  if (!param.dtypes.has(dtype)) return false;
  if (param.variable < 0) return true;
  if (param.variable != schema.main_variable) {
    return !runtime_lacks(op, opset, schema.variables[static_cast<size_t>(param.variable)], dtype);
  }
  return !runtime_lacks(op, opset, "", dtype) &&
         std::none_of(attributes.begin(), attributes.end(), [&](const onnx::AttributeProto& attribute) {
           return attribute.has_s() && runtime_lacks_when(op, opset, attribute.name(), attribute.s(), dtype);
         });
}

Dtype legal_dtype(const Schema& schema, const SchemaParam& param, size_t index, std::string_view op, int opset,
                  Dtype dtype, const Attributes& attributes) {
  if (admits(schema, param, op, opset, dtype, attributes)) return dtype;
  for (const Dtype d : substitutes(dtype)) {
    if (admits(schema, param, op, opset, d, attributes)) return d;
  }
  refuse_dtype(param, index, op, opset, dtype, /*may_cast=*/true);
}

void refuse_dtype(const SchemaParam& param, size_t index, std::string_view op, int opset, Dtype dtype, bool may_cast) {
  const std::string name(dtype_name(dtype));
  const int lowest = first_opset_for(index, op, opset, dtype, may_cast);
  if (!param.dtypes.has(dtype)) {
    throw Refused(E_DTYPE,
                  "the ONNX operator '" + std::string(op) + "' does not support " + name + " for '" + param.name +
                      "' at opset " + std::to_string(opset) + "; it supports " + param.dtypes.to_string(),
                  lowest);
  }
  throw Refused(E_DTYPE,
                "ONNX Runtime cannot run '" + std::string(op) + "' of opset " + std::to_string(opset) + " on " + name +
                    " for '" + param.name + "'",
                lowest);
}

}  // namespace fluid2onnx

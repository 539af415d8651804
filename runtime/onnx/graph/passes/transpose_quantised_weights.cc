// Products with int8 weights that have one step for each column:
//
//   Gemm(x, DequantizeLinear(w [in, out], steps, axis=1))
//
// ONNX Runtime has no integer kernel for a result in floats, and dequantises the weights in each run. That is several
// times faster if each step applies to adjacent elements:
//
//   Gemm(x, DequantizeLinear(w [out, in], steps, axis=0), transB=1)
#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

/// True if the product now reads its weights transposed.
bool transpose_weight(Model& model, const std::vector<int32_t>& counts, Node& gemm) {
  if (!gemm.is("Gemm") || int_attribute(gemm, "transB", 0) != 0) return false;
  const Value restored = gemm.inputs[1];
  const NodeId above = model[restored].producer;
  if (above < 0 || !model.node(above).is("DequantizeLinear")) return false;
  Node& dequantize = model.node(above);
  const Value weight = dequantize.inputs[0];
  const auto read_once = [&](Value v) { return counts[static_cast<size_t>(v.id)] == 1; };
  const auto& constant = model[weight].constant;
  if (!constant || constant->rank() != 2 || !read_once(weight) || !read_once(restored)) return false;
  const int64_t axis = int_attribute(dequantize, "axis", 1);
  const auto* steps = model.shape(dequantize.inputs[1]);
  if ((axis != 1 && axis != -1) || !steps || steps->dim_size() != 1) return false;

  const Ints dims{constant->dims()[1], constant->dims()[0]};
  const auto transposed = Tensor::computed(
      constant->dtype(), dims, LazyTensor{"Transpose", model.opset(), {Attr("perm", Ints{1, 0})}, {*constant}, 0, 1});
  if (!transposed) return false;
  dequantize.inputs[0] = model.add_constant(*transposed, model[weight].name);
  set_attribute(dequantize, Attr("axis", int64_t{0}));
  model.set_type(restored, tensor_type(model.dtype(restored), dims));
  set_attribute(gemm, Attr("transB", int64_t{1}));
  return true;
}

}  // namespace

int transpose_quantised_weights(Model& model) {
  const auto counts = model.use_counts();
  int changes = 0;
  for (const NodeId id : model.main().nodes) changes += transpose_weight(model, counts, model.node(id)) ? 1 : 0;
  return changes;
}

}  // namespace fluid2onnx

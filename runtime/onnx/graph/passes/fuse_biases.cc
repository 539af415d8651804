#include <algorithm>
#include <optional>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/legalise.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"
#include "runtime/onnx/graph/schema.h"

namespace fluid2onnx {
namespace {

/// The numbers of each channel, if `t` has one for each and meets axis 1 of a tensor of that rank.
std::optional<Tensor> per_channel(const Tensor& t, int64_t rank, int64_t channels) {
  if (t.rank() > rank || t.count() != channels) return std::nullopt;
  for (int64_t i = 0; i < t.rank(); ++i) {
    if (t.dims()[static_cast<size_t>(i)] != 1 && i + rank - t.rank() != 1) return std::nullopt;
  }
  return t.reshaped({channels});
}

/// Gives a convolution the bias, on top of the one that it has.
bool add_to_convolution(Model& model, Node& conv, Value addend) {
  const bool transposed = conv.is("ConvTranspose");
  if (!transposed && !conv.is("Conv")) return false;
  const auto filter = model.static_shape(conv.inputs[1]);
  if (!filter || filter->size() < 3) return false;
  const int64_t channels = transposed ? (*filter)[1] * int_attribute(conv, "group", 1) : (*filter)[0];
  auto bias = per_channel(*model[addend].constant, static_cast<int64_t>(filter->size()), channels);
  if (!bias) return false;
  if (conv.inputs.size() > 2 && conv.inputs[2]) {
    const auto& own = model[conv.inputs[2]].constant;
    if (own) bias = Tensor::sum(*own, *bias, model.opset());
    if (!own || !bias) return false;
  }
  conv.inputs.resize(3);
  conv.inputs[2] = model.add_constant(*bias, model[addend].name);
  return true;
}

/// ONNX Runtime would do that itself; other runtimes may not.
bool add_to_matmul(Model& model, Node& matmul, Value addend) {
  if (!matmul.is("MatMul")) return false;
  const auto* left = model.shape(matmul.inputs[0]);
  const auto* right = model.shape(matmul.inputs[1]);
  if (!left || !right || left->dim_size() != 2 || right->dim_size() != 2) return false;
  const Tensor& bias = *model[addend].constant;
  const auto& columns = right->dim(1);
  if (!columns.has_dim_value() || bias.rank() == 0 || bias.rank() > 2) return false;
  if (bias.count() != columns.dim_value() || bias.dims().back() != columns.dim_value()) return false;
  const Schema* gemm = find_schema("Gemm", model.opset());
  if (!gemm || !admits(*gemm, gemm->inputs[0], "Gemm", model.opset(), bias.dtype())) return false;
  matmul.op_type = "Gemm";
  matmul.attributes = {};
  matmul.inputs.push_back(addend);
  return true;
}

/// True if the Add has become part of the node before it.
bool merge_bias(Model& model, const std::vector<int32_t>& counts, const Node& add) {
  for (const size_t i : {0u, 1u}) {
    const Value x = add.inputs[i];
    const Value addend = add.inputs[1 - i];
    const NodeId above = model[x].producer;
    if (!model[addend].constant || above < 0 || counts[static_cast<size_t>(x.id)] != 1) continue;
    Node& node = model.node(above);
    if (node.graph != add.graph) continue;
    if (!add_to_convolution(model, node, addend) && !add_to_matmul(model, node, addend)) continue;
    model.set_result(above, 0, add.outputs[0]);
    return true;
  }
  return false;
}

}  // namespace

int fuse_biases(Model& model) {
  const auto counts = model.use_counts();
  return erase_merged(model, "Add", [&](const Node& add) { return merge_bias(model, counts, add); });
}

}  // namespace fluid2onnx

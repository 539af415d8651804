// Sums of parallel convolutions of one tensor. Models have them that were trained with branches (RepVGG, PP-LCNetV2,
// PP-YOLOE) and exported as they are:
//
//   Add(BatchNormalization(Conv(x, w3, pads=[1, 1, 1, 1])), BatchNormalization(Conv(x, w1)))
//
// A convolution is linear in its filter, so the sum is one convolution, whose filter is the sum of both:
//
//   Conv(x, w3 + w1 in the middle of zeros, bias, pads=[1, 1, 1, 1])
//
// A BatchNormalization of x itself is a convolution of kernel size 1. The filter of one branch must cover the other's.
#include <algorithm>
#include <optional>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/batch_norm.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

constexpr size_t kFirstSpatial = 2;  // a filter's axes: results, operands, spatial axes

struct Branch {
  NodeId conv = -1;  ///< -1: there is no node, because the branch only scales x
  Value x;
  Tensor filter;
  std::vector<float> bias;  ///< one value for each channel of the result
  Ints pads, strides;
  int64_t groups = 1;

  size_t spatial_axes() const { return filter.dims().size() - kFirstSpatial; }
};

bool all_ones(const std::optional<Ints>& sizes) {
  return sizes && std::all_of(sizes->begin(), sizes->end(), [](int64_t n) { return n == 1; });
}

/// The convolution `id`, and the BatchNormalization that reads its result, if there is one.
std::optional<Branch> branch_of(const Model& model, NodeId id, const Node* norm) {
  const Node& conv = model.node(id);
  const auto& filter = model[conv.inputs[1]].constant;
  if (!filter || filter->dtype() != Dtype::float32 || filter->dims().size() <= kFirstSpatial) return std::nullopt;
  Branch branch{id, conv.inputs[0], *filter, {}, {}, {}, int_attribute(conv, "group", 1)};
  const Ints ones(branch.spatial_axes(), 1);
  const auto pads = pads_of(conv, ones.size()), strides = sizes_attribute(conv, "strides", ones);
  if (!pads || !strides || !all_ones(sizes_attribute(conv, "dilations", ones))) return std::nullopt;
  branch.pads = *pads;
  branch.strides = *strides;

  const bool biased = conv.inputs.size() > 2 && conv.inputs[2];
  const auto bias = biased ? constant_floats(model, conv.inputs[2]) : Floats(static_cast<size_t>(filter->dims()[0]));
  if (!bias || static_cast<int64_t>(bias->size()) != filter->dims()[0]) return std::nullopt;
  branch.bias.assign(bias->begin(), bias->end());
  if (!norm) return branch;
  const auto affine = affine_of(model, *norm, *bias);
  if (!affine) return std::nullopt;
  const auto scaled =
      scaled_filter(model, *filter, 0, Tensor::of(Dtype::float32, {filter->dims()[0]}, affine->factors));
  if (!scaled) return std::nullopt;
  branch.filter = *scaled;
  branch.bias = affine->addends;
  return branch;
}

/// The filter [channels, width, 1...] that multiplies each channel by its factor, where a group has `width` channels.
/// It is computed from the factors when it is written: each row of a group is padded by `width` zeros, so that without
/// the last zeros, rows of `width` elements have the factors on the diagonal.
std::optional<Tensor> diagonal_filter(const std::vector<float>& factors, int64_t width, size_t rank) {
  constexpr int kOpset = 10;  // of the operators below: Pad with pads as an attribute, Slice with bounds as operands
  const auto channels = static_cast<int64_t>(factors.size());
  const int64_t groups = channels / width;
  const auto padded = Tensor::computed(Dtype::float32, {groups, width, width + 1},
                                       LazyTensor{"Pad",
                                                  kOpset,
                                                  {Attr("pads", Ints{0, 0, 0, 0, 0, width})},
                                                  {Tensor::of(Dtype::float32, {groups, width, 1}, factors)},
                                                  0,
                                                  1});
  if (!padded) return std::nullopt;
  const auto diagonal =
      Tensor::computed(Dtype::float32, {groups, width * width},
                       LazyTensor{"Slice",
                                  kOpset,
                                  {},
                                  {padded->reshaped({groups, width * (width + 1)}), Tensor::int64s({0}),
                                   Tensor::int64s({width * width}), Tensor::int64s({1})},
                                  0,
                                  1});
  if (!diagonal) return std::nullopt;
  Ints dims(rank, 1);
  dims[0] = channels;
  dims[1] = width;
  return diagonal->reshaped(dims);
}

/// A BatchNormalization of the operand of `other`, as a convolution with kernel size 1 and the same groups.
std::optional<Branch> branch_of_norm(const Model& model, const Node& norm, const Branch& other) {
  const auto affine = affine_of(model, norm, {});
  const Ints& dims = other.filter.dims();
  if (!affine || static_cast<int64_t>(affine->factors.size()) != dims[0] || dims[0] != dims[1] * other.groups) {
    return std::nullopt;
  }
  auto filter = diagonal_filter(affine->factors, dims[1], dims.size());
  if (!filter) return std::nullopt;
  const size_t axes = other.spatial_axes();
  return Branch{-1, norm.inputs[0], std::move(*filter), affine->addends, Ints(2 * axes), Ints(axes, 1), other.groups};
}

/// The narrower filter as wide as the other, with zeros around it, if both then see the same elements of x.
std::optional<Tensor> widened(const Model& model, const Branch& narrow, const Branch& wide) {
  const size_t axes = wide.spatial_axes(), rank = axes + kFirstSpatial;
  Ints zeros(2 * rank);
  for (size_t i = 0; i < axes; ++i) {
    const size_t axis = kFirstSpatial + i;
    const int64_t before = wide.pads[i] - narrow.pads[i], after = wide.pads[i + axes] - narrow.pads[i + axes];
    const int64_t missing = wide.filter.dims()[axis] - narrow.filter.dims()[axis];
    if (before < 0 || after < 0 || before + after != missing) return std::nullopt;
    zeros[axis] = before;
    zeros[axis + rank] = after;
  }
  if (narrow.filter.dims() == wide.filter.dims()) return narrow.filter;
  return Tensor::computed(Dtype::float32, wide.filter.dims(),
                          LazyTensor{"Pad", model.opset(), {Attr("pads", zeros)}, {narrow.filter}, 0, 1});
}

/// Makes the node of `wide` compute the sum of both. False if they cannot be one.
bool merge(Model& model, const Branch& narrow, const Branch& wide) {
  const Ints &dims = wide.filter.dims(), &other = narrow.filter.dims();
  const bool same_geometry = narrow.x == wide.x && narrow.strides == wide.strides && narrow.groups == wide.groups &&
                             dims.size() == other.size() && dims[0] == other[0] && dims[1] == other[1];
  if (!same_geometry || wide.conv < 0) return false;
  const auto filter = widened(model, narrow, wide);
  const auto sum = filter ? Tensor::sum(wide.filter, *filter, model.opset()) : std::nullopt;
  if (!sum) return false;
  std::vector<float> bias = wide.bias;
  for (size_t i = 0; i < bias.size(); ++i) bias[i] += narrow.bias[i];
  Node& conv = model.node(wide.conv);
  const Ints channels{static_cast<int64_t>(bias.size())};
  conv.inputs.resize(3);
  conv.inputs[1] = model.add_constant(*sum, model[conv.inputs[1]].name);
  conv.inputs[2] = model.add_constant(Tensor::of(Dtype::float32, channels, bias));
  return true;
}

/// True if one of the convolutions has become the sum of the two.
bool merge_sum(Model& model, const std::vector<int32_t>& counts, const Node& add) {
  const auto made_for = [&](Value v, const Node& reader, std::string_view op) -> const Node* {
    const Node* node = model.producer(v);
    const bool only_here =
        node && node->is(op) && node->graph == reader.graph && counts[static_cast<size_t>(v.id)] == 1;
    return only_here ? node : nullptr;
  };
  const Node* norms[2];
  std::optional<Branch> branches[2];
  for (size_t i = 0; i < 2; ++i) {
    norms[i] = made_for(add.inputs[i], add, "BatchNormalization");
    if (norms[i] && !is_inference(*norms[i])) return false;
    const Value result = norms[i] ? norms[i]->inputs[0] : add.inputs[i];
    if (made_for(result, norms[i] ? *norms[i] : add, "Conv"))
      branches[i] = branch_of(model, model[result].producer, norms[i]);
  }
  for (size_t i = 0; i < 2; ++i) {
    const auto& other = branches[1 - i];
    if (!branches[i] && norms[i] && other && norms[i]->inputs[0] == other->x) {
      branches[i] = branch_of_norm(model, *norms[i], *other);
    }
  }
  if (!branches[0] || !branches[1]) return false;
  for (size_t i = 0; i < 2; ++i) {
    if (!merge(model, *branches[i], *branches[1 - i])) continue;
    model.set_result(branches[1 - i]->conv, 0, add.outputs[0]);
    return true;
  }
  return false;
}

}  // namespace

int merge_branches(Model& model) {
  const auto counts = model.use_counts();
  return erase_merged(model, "Add", [&](const Node& add) {
    const GraphId here = model.switch_to(add.graph);
    const bool merged = merge_sum(model, counts, add);
    model.switch_to(here);
    return merged;
  });
}

}  // namespace fluid2onnx

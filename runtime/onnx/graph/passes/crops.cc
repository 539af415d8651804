// Slices of convolutions. Paddle's models have them where TensorFlow pads only the end, with the padding of both sides:
//
//   Slice(Conv(x, w, pads=[2, 2, 2, 2], strides=[2, 2]), starts=[1, 1], axes=[2, 3])
//
// What is cut away is not computed:
//
//   Conv(x, w, pads=[0, 0, 2, 2], strides=[2, 2])
#include <algorithm>
#include <cstdint>
#include <optional>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

namespace fluid2onnx {
namespace {

/// How many elements of each spatial axis are cut away: at the start of all axes, then at their end, like pads.
std::optional<Ints> cropped(const Model& model, const Node& slice, size_t spatial_axes) {
  const auto numbers = [&](size_t i) {
    return slice.inputs.size() > i ? model.constant_ints(slice.inputs[i]) : std::nullopt;
  };
  const auto starts = numbers(1), ends = numbers(2), axes = numbers(3), steps = numbers(4);
  const auto* shape = model.shape(slice.inputs[0]);
  if (!starts || !ends || !axes || !shape || starts->size() != axes->size() || ends->size() != axes->size()) {
    return std::nullopt;
  }
  const bool has_steps = slice.inputs.size() > 4 && slice.inputs[4];
  if (has_steps && (!steps || std::any_of(steps->begin(), steps->end(), [](int64_t s) { return s != 1; }))) {
    return std::nullopt;
  }
  Ints result(2 * spatial_axes);
  for (size_t i = 0; i < axes->size(); ++i) {
    const int64_t axis = ((*axes)[i] < 0 ? (*axes)[i] + shape->dim_size() : (*axes)[i]) - 2;
    if (axis < 0 || axis >= static_cast<int64_t>(spatial_axes) || (*starts)[i] < 0) return std::nullopt;
    const auto& dim = shape->dim(static_cast<int>(axis) + 2);
    const int64_t end = (*ends)[i];
    int64_t cut = 0;
    if (end < 0) cut = -end;
    else if (dim.has_dim_value()) cut = std::max<int64_t>(dim.dim_value() - end, 0);
    else if (end < INT32_MAX) return std::nullopt;
    // Of what is empty, nothing is to be computed, and convolutions refuse that.
    if (dim.has_dim_value() && dim.dim_value() - (*starts)[i] - cut < 1) return std::nullopt;
    result[static_cast<size_t>(axis)] = (*starts)[i];
    result[static_cast<size_t>(axis) + spatial_axes] = cut;
  }
  return result;
}

/// True if the Slice has become part of the convolution before it.
bool merge_slice(Model& model, const std::vector<int32_t>& counts, const Node& slice) {
  const Value x = slice.inputs[0];
  const NodeId above = model[x].producer;
  if (above < 0 || counts[static_cast<size_t>(x.id)] != 1) return false;
  Node& conv = model.node(above);
  const auto* shape = model.shape(x);
  if (!conv.is("Conv") || conv.graph != slice.graph || !shape || shape->dim_size() < 3) return false;
  const auto spatial_axes = static_cast<size_t>(shape->dim_size()) - 2;
  const auto cut = cropped(model, slice, spatial_axes);
  auto pads = pads_of(conv, spatial_axes);
  const auto strides = sizes_attribute(conv, "strides", Ints(spatial_axes, 1));
  if (!cut || !pads || !strides) return false;
  for (size_t i = 0; i < pads->size(); ++i) {
    (*pads)[i] -= (*cut)[i] * (*strides)[i % spatial_axes];
    if ((*pads)[i] < 0) return false;
  }
  set_attribute(conv, Attr("pads", *pads));
  model.set_result(above, 0, slice.outputs[0]);
  return true;
}

}  // namespace

int merge_slices(Model& model) {
  const auto counts = model.use_counts();
  return erase_merged(model, "Slice", [&](const Node& slice) { return merge_slice(model, counts, slice); });
}

}  // namespace fluid2onnx

#include "runtime/convert/dims_tensor.h"

namespace fluid2onnx {
namespace {

constexpr int kShapeOfPart = 15;  // Shape has `start` and `end`
constexpr int kSliceByInputs = 10;

/// Where an item comes from, so that neighbours can be fetched together.
struct Origin {
  Dim::Source source;
  Value tensor;
};

/// What is known of item `index` of an origin.
const onnx::TensorShapeProto::Dimension* known_item(const Model& model, const Origin& from, int64_t index) {
  const onnx::TensorShapeProto* items =
      from.source == Dim::Source::shape_of ? model.shape(from.tensor) : model[from.tensor].elements.get();
  if (!items || index < 0 || index >= items->dim_size()) return nullptr;
  return &items->dim(static_cast<int>(index));
}

/// How many items an origin has; -1: unknown.
int64_t length_of(const Model& model, const Origin& from) {
  const auto* shape = model.shape(from.tensor);
  if (!shape) return -1;
  if (from.source == Dim::Source::shape_of) return shape->dim_size();
  return shape->dim_size() == 1 && shape->dim(0).has_dim_value() ? shape->dim(0).dim_value() : -1;
}

/// True if item `index` of the origin is certainly the number `dim`.
bool is_item(const Model& model, const Origin& from, int64_t index, const Dim& dim) {
  if (dim.source == from.source && dim.tensor == from.tensor && dim.index == index) return true;
  const auto* item = known_item(model, from, index);
  if (!item) return false;
  if (dim.known()) return item->has_dim_value() && item->dim_value() == dim.known_value;
  if (dim.source == Dim::Source::scalar || !item->has_dim_param()) return false;
  const auto* other = known_item(model, {dim.source, dim.tensor}, dim.index);
  return other && other->has_dim_param() && other->dim_param() == item->dim_param();
}

bool splits(const Dim& dim) { return dim.source == Dim::Source::shape_of || dim.source == Dim::Source::element; }

Value as_int64(Emitter& emitter, Value x) {
  return emitter.model().dtype(x) == Dtype::int64 ? x : emitter.cast(x, Dtype::int64);
}

/// Items [from, to) of an origin as a 1-D tensor.
Value fetch(Emitter& emitter, const Origin& origin, int64_t from, int64_t to) {
  const Model& model = emitter.model();
  const int64_t length = length_of(model, origin);
  Value whole = origin.tensor;
  if (origin.source == Dim::Source::shape_of) {
    if ((from != 0 || to != length) && model.opset() >= kShapeOfPart) {
      Attrs attrs;
      if (from != 0) attrs.emplace_back("start", from);
      if (to != length && to != 0) attrs.emplace_back("end", to);  // to is 0 for the last dim from the end
      return emitter.emit_one("Shape", {origin.tensor}, attrs);
    }
    whole = emitter.emit_one("Shape", {origin.tensor});
  }
  if (from == 0 && to == length) return as_int64(emitter, whole);
  if (to - from == 1) {
    const Value index = emitter.constant(Tensor::int64s({from}));
    return as_int64(emitter, emitter.emit_one("Gather", {whole, index}, {Attr("axis", 0)}));
  }
  return as_int64(emitter, slice_vector(emitter, whole, from, to));
}

/// The whole list as one stretch of one origin, if it is.
Value as_one_stretch(Emitter& emitter, const std::vector<Dim>& items) {
  const Model& model = emitter.model();
  const auto count = static_cast<int64_t>(items.size());
  for (const Dim& dim : items) {
    if (!splits(dim)) continue;
    const Origin origin{dim.source, dim.tensor};
    // The item itself may be there more than once, under the same name of a dim.
    for (int64_t start = 0; start + count <= length_of(model, origin); ++start) {
      int64_t n = 0;
      while (n < count && is_item(model, origin, start + n, items[static_cast<size_t>(n)])) ++n;
      if (n == count) return fetch(emitter, origin, start, start + count);
    }
  }
  return {};
}

}  // namespace

Value reshape(Emitter& emitter, Value x, const Ints& dims) {
  return emitter.emit_one("Reshape", {x, emitter.constant(Tensor::int64s(dims))});
}

Value slice_vector(Emitter& emitter, Value x, int64_t from, int64_t to) {
  if (emitter.model().opset() < kSliceByInputs) {
    return emitter.emit_one("Slice", {x}, {Attr("axes", Ints{0}), Attr("starts", Ints{from}), Attr("ends", Ints{to})});
  }
  return emitter.emit_one("Slice", {x, emitter.constant(Tensor::int64s({from})), emitter.constant(Tensor::int64s({to})),
                                    emitter.constant(Tensor::int64s({0}))});
}

Value dim_tensor(Emitter& emitter, const Dim& dim) {
  switch (dim.source) {
    case Dim::Source::known: return emitter.constant(Tensor::int64_scalar(dim.known_value));
    case Dim::Source::scalar: {
      const Value x = as_int64(emitter, dim.tensor);
      const auto* shape = emitter.model().shape(x);
      return shape && shape->dim_size() == 0 ? x : reshape(emitter, x, {});
    }
    case Dim::Source::shape_of:
    case Dim::Source::element: break;
  }
  const Value all = dim.source == Dim::Source::shape_of ? emitter.emit_one("Shape", {dim.tensor}) : dim.tensor;
  const Value index = emitter.constant(Tensor::int64_scalar(dim.index));
  return as_int64(emitter, emitter.emit_one("Gather", {all, index}, {Attr("axis", 0)}));
}

Value dims_tensor(Emitter& emitter, const Dims& dims) {
  if (!dims.sized()) return as_int64(emitter, dims.unsized);
  const auto& items = dims.items;
  if (const Value whole = as_one_stretch(emitter, items)) return whole;

  Values pieces;
  for (size_t i = 0; i < items.size();) {
    size_t end = i + 1;
    if (items[i].known()) {
      Ints known{items[i].known_value};
      for (; end < items.size() && items[end].known(); ++end) known.push_back(items[end].known_value);
      pieces.push_back(emitter.constant(Tensor::int64s(known)));
    } else if (items[i].source == Dim::Source::scalar) {
      const auto* shape = emitter.model().shape(items[i].tensor);
      const Value x = as_int64(emitter, items[i].tensor);
      const bool vector = shape && shape->dim_size() == 1;
      pieces.push_back(vector ? x : reshape(emitter, x, {1}));
    } else {
      const Origin origin{items[i].source, items[i].tensor};
      const int64_t from = items[i].index;
      // A stretch must not pass from counting from the end to counting from the start.
      while (end < items.size() && !items[end].known() && from >= 0 &&
             is_item(emitter.model(), origin, from + static_cast<int64_t>(end - i), items[end])) {
        ++end;
      }
      pieces.push_back(fetch(emitter, origin, from, from + static_cast<int64_t>(end - i)));
    }
    i = end;
  }
  return pieces.size() == 1 ? pieces[0] : emitter.emit_one("Concat", pieces, {Attr("axis", 0)});
}

}  // namespace fluid2onnx

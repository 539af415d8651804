#include "runtime/paddle/program/shape_text.h"

namespace fluid2onnx {

std::string dims_text(const Shape& dims) {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ", ";
    text += dims[i] < 0 ? "?" : std::to_string(dims[i]);
  }
  return text + "]";
}

std::string type_text(Dtype dtype, const std::optional<Shape>& dims) {
  const std::string name(dtype_name(dtype));
  return dims ? name + dims_text(*dims) : name + " of unknown shape";
}

}  // namespace fluid2onnx

#pragma once

#include <algorithm>
#include <iterator>

namespace fluid2onnx {

template <class Range, class T>
bool has_item(const Range& range, const T& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

}  // namespace fluid2onnx

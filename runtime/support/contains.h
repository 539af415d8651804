#pragma once

#include <algorithm>
#include <iterator>

namespace fluid2onnx {

template <class Range, class T>
bool contains(const Range& range, const T& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

}  // namespace fluid2onnx

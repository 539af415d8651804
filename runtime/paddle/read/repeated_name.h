#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace fluid2onnx {

/// A `name` that two of the items have; "" if all names differ.
template <class Items>
std::string_view repeated_name(const Items& items) {
  std::vector<std::string_view> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(item.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? std::string_view() : *twice;
}

}  // namespace fluid2onnx

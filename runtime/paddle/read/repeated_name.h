#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace fluid2onnx {

/// A `name` that two of the items have; "" if all names differ.
template <class Items>
std::string_view repeated_name(const Items& items) {
  if (items.size() < 2) return {};  // most slots
  std::vector<std::string_view> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(item.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? std::string_view() : *twice;
}

/// Removes each item that a later one with the same `name` replaces.
template <class Item>
void keep_last_of_each_name(std::vector<Item>* items) {
  if (repeated_name(*items).empty()) return;
  std::unordered_set<std::string> names;
  std::reverse(items->begin(), items->end());
  std::erase_if(*items, [&](const Item& item) { return !names.insert(item.name).second; });
  std::reverse(items->begin(), items->end());
}

}  // namespace fluid2onnx

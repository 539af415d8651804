// Small texts of messages and files.
#pragma once

#include <iterator>
#include <string>
#include <vector>

namespace opgen {

/// A letter, digit or underscore: what names are made of.
bool is_word(char c);

/// A space, tab or line feed.
bool is_blank(char c);

/// "elu" as ONNX may call it: Elu.
std::string capitalised(std::string name);

/// The names of things; of a map, its keys.
template <typename Things>
std::vector<std::string> names_of(const Things& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) {
    if constexpr (requires { thing.first; }) names.emplace_back(thing.first);
    else if constexpr (requires { thing.name; }) names.emplace_back(thing.name);
    else names.emplace_back(thing.text);
  }
  return names;
}

/// "a, b, c": the texts of the items, as `text_of` has them.
template <typename Items, typename TextOf>
std::string joined(const Items& items, const TextOf& text_of, const char* separator = ", ") {
  std::string all;
  for (const auto& item : items) {
    if (&item != &*std::begin(items)) all += separator;
    all += text_of(item);
  }
  return all;
}
inline std::string joined(const std::vector<std::string>& words, const char* separator = ", ") {
  return joined(
      words, [](const std::string& word) { return word; }, separator);
}
/// The items of "a, b, c".
std::vector<std::string> split(const std::string& text);

}  // namespace opgen

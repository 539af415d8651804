#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace fluid2onnx {

/// For maps by std::string that are asked with a view: std::unordered_map<std::string, T, TextHash, std::equal_to<>>.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// Number of insertions, deletions, replacements and swaps of neighbours between two words.
size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word` if it is near enough to be a slip of the finger (at most a third
/// of the longer word's letters differ), else empty. Of equally near ones the first wins.
std::string closest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean 'x'?" or empty: to be appended to a message.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// Well-formed UTF-8.
bool is_utf8(std::string_view text);

/// "'a', 'b' and 3 more".
std::string listed(std::span<const std::string> names);

/// The items with separators between them.
std::string joined(std::span<const std::string> items, std::string_view separator);

/// A word for a POSIX shell: "a b;c" becomes "'a b;c'". Control characters become "?".
std::string shell_word(std::string_view text);

/// "1 tensor", "2 tensors".
std::string count_of(size_t n, std::string_view noun);

/// "999 B", "1.5 MB", "47 MB".
std::string bytes_text(uint64_t bytes);

}  // namespace fluid2onnx

#include "runtime/support/text.h"

#include <algorithm>
#include <vector>

namespace fluid2onnx {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rolling rows of the optimal string alignment table.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string closest(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t kLongest = 256;  // the table is quadratic, names of people's models are not
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (longer > kLongest) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance == 0 || distance * 3 > longer) continue;
    if (!best || distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best ? *best : std::string();
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string best = closest(word, candidates);
  return best.empty() ? best : "; did you mean '" + best + "'?";
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
    const unsigned char first = byte(at), second = byte(at + 1);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    if (length == 0) return false;
    for (std::size_t i = 1; i < length; ++i)
      if ((byte(at + i) & 0xC0) != 0x80) return false;
    // Overlong forms, surrogates, and what lies beyond Unicode.
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return false;
    if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return false;
    at += length;
  }
  return true;
}

std::string listed(std::span<const std::string> names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) text += (i > 0 ? ", '" : "'") + names[i] + "'";
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

std::string count_of(std::size_t n, std::string_view noun) {
  return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

}  // namespace fluid2onnx

#include <algorithm>
#include <cctype>
#include <vector>

#include "generator/diagnostics/diagnostics.h"

namespace opgen {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Insertions, removals, replacements and swaps of neighbours that turn one word into the other.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string closest(const std::string& word, const std::vector<std::string>& known) {
  const std::string wanted = lower(word);
  // A third of the letters may be wrong, but not every letter of a short word.
  size_t best = std::max<size_t>(1, wanted.size() / 3) + 1;
  if (wanted.size() < 2) best = 1;
  const std::string* found = nullptr;
  for (const std::string& candidate : known) {
    if (candidate == word) continue;
    const size_t gap = std::max(candidate.size(), word.size()) - std::min(candidate.size(), word.size());
    if (gap >= best) continue;
    const size_t steps = distance(wanted, lower(candidate));
    if (steps >= best) continue;
    best = steps;
    found = &candidate;
  }
  return found != nullptr ? *found : "";
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string guess = closest(word, known);
  return guess.empty() ? "" : " (did you mean '" + guess + "'?)";
}

}  // namespace opgen

// Values that a mutator puts into a field: usual ones, extremes, and changes of the old value.
#pragma once

#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string>

namespace fluid2onnx::fuzz {

using Random = std::minstd_rand;

inline size_t below(Random& random, size_t limit) { return limit == 0 ? 0 : random() % limit; }
inline bool one_in(Random& random, size_t times) { return below(random, times) == 0; }

inline int64_t changed_integer(Random& random, int64_t old) {
  constexpr int64_t kValues[] = {0, 1, -1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 22, 64, 255, 256, 1000, 65535, 65536, 1 << 24};
  constexpr int64_t kExtremes[] = {INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, int64_t{1} << 32, INT64_MAX / 4, -2};
  switch (below(random, 8)) {
    case 0: return one_in(random, 3) ? kExtremes[below(random, std::size(kExtremes))] : old / 2;
    case 1: return static_cast<int64_t>(static_cast<uint64_t>(old) + 1);
    case 2: return static_cast<int64_t>(static_cast<uint64_t>(old) - 1);
    case 3: return static_cast<int64_t>(0 - static_cast<uint64_t>(old));
    default: return kValues[below(random, std::size(kValues))];
  }
}

inline double changed_real(Random& random, double old) {
  constexpr double kValues[] = {0, 1, -1, 0.5, 2, 1e-5, 1e-12, 1e30, 3.4e38, -0.0, 255, 1e-45};
  switch (below(random, 6)) {
    case 0: return -old;
    case 1: return old * 2;
    case 2:
      return one_in(random, 2) ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    default: return kValues[below(random, std::size(kValues))];
  }
}

inline std::string changed_text(Random& random, std::string text) {
  const size_t at = below(random, text.size() + 1);
  switch (below(random, 4)) {
    case 0: return "";
    case 1: return text.insert(at, 1, static_cast<char>(below(random, 256)));
    case 2: return text.erase(at, 1 + below(random, 8));
    default:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
      return text;
  }
}

}  // namespace fluid2onnx::fuzz

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace fluid2onnx {

/// std::bit_cast, which LLVM 13's library lacks.
template <class To, class From>
To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  static_assert(std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

inline size_t mix_hash(size_t hash, size_t more) { return (hash ^ more) * 0x9e3779b97f4a7c15u + (hash >> 29); }

/// The number of entries of the list from, from + step ... that ends before `to`. `step` is not 0.
inline uint64_t range_count(int64_t from, int64_t to, int64_t step) {
  if (step > 0 ? from >= to : from <= to) return 0;
  // Unsigned: the distance of any two numbers fits.
  const uint64_t distance = step > 0 ? uint64_t(to) - uint64_t(from) : uint64_t(from) - uint64_t(to);
  const uint64_t width = step > 0 ? uint64_t(step) : uint64_t{0} - uint64_t(step);
  return (distance - 1) / width + 1;
}

}  // namespace fluid2onnx

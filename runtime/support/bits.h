#pragma once

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

}  // namespace fluid2onnx

// Protobuf's wire format, field by field, without a message in memory.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace fluid2onnx::wire {

using Bytes = std::span<const uint8_t>;

enum Type : uint32_t { kVarint = 0, kFixed64 = 1, kDelimited = 2, kFixed32 = 5 };

constexpr uint32_t tag(int field, Type type) { return static_cast<uint32_t>(field) << 3 | type; }
/// Of a field that is a message, a text or packed numbers.
constexpr uint32_t delimited(int field) { return tag(field, kDelimited); }

/// For numbers of two bytes and more.
inline bool read_long_varint(const uint8_t** at, const uint8_t* end, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && *at != end; shift += 7) {
    const uint8_t byte = *(*at)++;
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/// False if the number is cut off or longer than 64 bits. Most numbers have one byte: only that case is inlined.
inline bool read_varint(const uint8_t** at, const uint8_t* end, uint64_t* value) {
  if (*at != end && **at < 0x80) {
    *value = *(*at)++;
    return true;
  }
  return read_long_varint(at, end, value);
}

inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

inline void append_varint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

/// The beginning of a delimited field; `length` bytes are to follow.
inline void append_delimited(int field, uint64_t length, std::string* out) {
  append_varint(delimited(field), out);
  append_varint(length, out);
}

/// Calls f(tag, all bytes of the field, those of the value where it is delimited) for the fields of a message, one
/// after the other. False where the bytes are no message, or `f` has enough.
template <class F>
bool for_each_field(Bytes bytes, F f) {
  const uint8_t* at = bytes.data();
  const uint8_t* const end = at + bytes.size();
  while (at != end) {
    const uint8_t* const start = at;
    uint64_t tag = 0, length = 0;
    if (!read_varint(&at, end, &tag) || tag < 8 || tag > std::numeric_limits<uint32_t>::max()) return false;
    const auto type = static_cast<Type>(tag & 7);
    switch (type) {
      case kVarint:
        if (!read_varint(&at, end, &length)) return false;
        length = 0;
        break;
      case kFixed64: length = 8; break;
      case kFixed32: length = 4; break;
      case kDelimited:
        if (!read_varint(&at, end, &length)) return false;
        break;
      default: return false;  // groups: neither Paddle nor ONNX has them
    }
    if (length > static_cast<uint64_t>(end - at)) return false;
    const Bytes value(at, type == kDelimited ? length : 0);
    at += length;
    if (!f(static_cast<uint32_t>(tag), Bytes(start, at), value)) return false;
  }
  return true;
}

}  // namespace fluid2onnx::wire

#include "runtime/convert/lists.h"

#include <cstdio>
#include <limits>

#include "runtime/support/error.h"
#include "runtime/support/number_text.h"

namespace fluid2onnx {

void nothing_to_compare() {
  throw Error(E_BAD_PROGRAM, "a list of operands or attributes is empty; expected an element");
}

double number(OpContext& op, const std::string& text) {
  const ParsedNumber parsed = parse_number(text);
  if (parsed.length != text.size() || parsed.error == std::errc::invalid_argument)
    op.refuse(E_ATTRIBUTE, "'" + text + "' is not a number");
  return parsed.value;
}

std::string show(const std::string& text) { return text; }
std::string show(bool value) { return value ? "true" : "false"; }
std::string show(int64_t value) { return std::to_string(value); }
std::string show(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}
std::string show(Dtype value) { return std::string(dtype_name(value)); }
std::string show(const Dim& value) { return value.known() ? std::to_string(value.known_value) : "?"; }

double highest(Dtype dtype) {
  switch (dtype) {
    case Dtype::float16: return 65504;
    case Dtype::bfloat16: return 3.3895313892515355e38;
    case Dtype::float64: return std::numeric_limits<double>::max();
    case Dtype::int8: return std::numeric_limits<int8_t>::max();
    case Dtype::int16: return std::numeric_limits<int16_t>::max();
    case Dtype::int32: return std::numeric_limits<int32_t>::max();
    case Dtype::int64: return static_cast<double>(std::numeric_limits<int64_t>::max());
    case Dtype::uint8: return std::numeric_limits<uint8_t>::max();
    case Dtype::uint16: return std::numeric_limits<uint16_t>::max();
    case Dtype::uint32: return std::numeric_limits<uint32_t>::max();
    case Dtype::uint64: return static_cast<double>(std::numeric_limits<uint64_t>::max());
    case Dtype::bool_: return 1;
    default: return std::numeric_limits<float>::max();
  }
}

double lowest(Dtype dtype) {
  switch (dtype) {
    case Dtype::int8: return std::numeric_limits<int8_t>::min();
    case Dtype::int16: return std::numeric_limits<int16_t>::min();
    case Dtype::int32: return std::numeric_limits<int32_t>::min();
    case Dtype::int64: return static_cast<double>(std::numeric_limits<int64_t>::min());
    case Dtype::uint8:
    case Dtype::uint16:
    case Dtype::uint32:
    case Dtype::uint64:
    case Dtype::bool_: return 0;
    default: return -highest(dtype);
  }
}

}  // namespace fluid2onnx

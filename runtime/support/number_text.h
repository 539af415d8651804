// Numbers as text, in the same form on every system and in every locale.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace fluid2onnx {

struct ParsedNumber {
  double value = 0;   ///< out of range: 0 or infinity, with the sign of the text
  size_t length = 0;  ///< characters that belong to the number
  std::errc error{};  ///< invalid_argument: no number; result_out_of_range
};

/// As std::from_chars: "-1.5e3", "inf", "nan"; neither spaces nor "+" before it.
ParsedNumber parse_number(std::string_view text);

/// The shortest text that parse_number() reads as this number. As std::to_chars: "0.1", "1e+30".
std::string shortest_text(double number);

/// The same two without floating-point <charconv>, which libc++ lacks in part. Tests compare them.
namespace portable {
ParsedNumber parse_number(std::string_view text);
std::string shortest_text(double number);
}  // namespace portable

}  // namespace fluid2onnx

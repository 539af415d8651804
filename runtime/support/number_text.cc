#include "runtime/support/number_text.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace fluid2onnx {
namespace portable {
namespace {

/// "1500" for the digits "15" and the exponent 3: 1.5e3.
std::string without_exponent(const std::string& digits, int exponent) {
  const auto count = static_cast<int>(digits.size());
  if (exponent < 0) return "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  if (exponent >= count - 1) return digits + std::string(static_cast<size_t>(exponent - count + 1), '0');
  return digits.substr(0, static_cast<size_t>(exponent) + 1) + "." + digits.substr(static_cast<size_t>(exponent) + 1);
}

std::string with_exponent(const std::string& digits, int exponent) {
  char tail[16];
  std::snprintf(tail, sizeof tail, "e%+03d", exponent);
  return digits.substr(0, 1) + (digits.size() > 1 ? "." + digits.substr(1) : "") + tail;
}

}  // namespace

ParsedNumber parse_number(std::string_view text) {
  ParsedNumber parsed;
  parsed.error = std::errc::invalid_argument;
  const size_t sign = text.starts_with('-') ? 1 : 0;
  if (text.size() == sign) return parsed;
  const char first = text[sign];
  const bool word = first == 'i' || first == 'I' || first == 'n' || first == 'N';
  if (!word && first != '.' && (first < '0' || first > '9')) return parsed;
  std::string copy(text);
  // strtod() reads hexadecimal numbers, too.
  if (first == '0' && copy.size() > sign + 1 && (copy[sign + 1] == 'x' || copy[sign + 1] == 'X')) copy.resize(sign + 1);
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(copy.c_str(), &end);
  const int error = errno;
  parsed.length = static_cast<size_t>(end - copy.c_str());
  if (parsed.length == 0) return parsed;
  // Numbers below the normal ones are in range, although strtod() reports them.
  const bool beyond = error == ERANGE && (value == 0 || std::isinf(value));
  parsed.error = beyond ? std::errc::result_out_of_range : std::errc();
  parsed.value = value;
  return parsed;
}

std::string shortest_text(double number) {
  if (std::isnan(number)) return std::signbit(number) ? "-nan" : "nan";
  const std::string sign = std::signbit(number) ? "-" : "";
  number = std::fabs(number);
  if (std::isinf(number)) return sign + "inf";
  char text[40];
  for (int precision = 0; precision < 17; ++precision) {
    std::snprintf(text, sizeof text, "%.*e", precision, number);
    if (std::strtod(text, nullptr) == number) break;
  }
  const std::string spelt(text);
  const size_t e = spelt.find('e');
  std::string digits = spelt.substr(0, 1);
  if (e > 2) digits += spelt.substr(2, e - 2);
  const int exponent = static_cast<int>(std::strtol(spelt.c_str() + e + 1, nullptr, 10));
  std::string plain = without_exponent(digits, exponent);
  std::string scientific = with_exponent(digits, exponent);
  if (plain.size() > scientific.size()) return sign + scientific;
  // Large numbers are exact where no digits are left to the exponent, as by printf("%.0f").
  if (exponent >= static_cast<int>(digits.size())) {
    char exact[400];
    std::snprintf(exact, sizeof exact, "%.0f", number);
    plain = exact;
  }
  return sign + plain;
}

}  // namespace portable

#ifdef __cpp_lib_to_chars
ParsedNumber parse_number(std::string_view text) {
  ParsedNumber parsed;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), parsed.value);
  parsed.length = static_cast<size_t>(stop - text.data());
  parsed.error = error;
  // std::from_chars leaves the value unchanged.
  if (error == std::errc::result_out_of_range) parsed.value = portable::parse_number(text).value;
  return parsed;
}

std::string shortest_text(double number) {
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), number);
  return {text, end.ptr};
}
#else
ParsedNumber parse_number(std::string_view text) { return portable::parse_number(text); }
std::string shortest_text(double number) { return portable::shortest_text(number); }
#endif

}  // namespace fluid2onnx

#include "runtime/support/number_text.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "runtime/support/bits.h"

namespace fluid2onnx {
namespace {

void same_text(double number) {
  CAPTURE(number);
  CHECK(portable::shortest_text(number) == shortest_text(number));
  const ParsedNumber back = portable::parse_number(shortest_text(number));
  CHECK(back.error == std::errc());
  if (!std::isnan(number)) CHECK(bits_as<std::uint64_t>(back.value) == bits_as<std::uint64_t>(number));
}

TEST_CASE("the portable text of a number is that of std::to_chars") {
  using Limits = std::numeric_limits<double>;
  for (const double number : {0.0, 0.1, 1.0, 10.0, 1e5, 123456.0, 1e22, 1.2345678901234568e20, 9007199254740993.0, 1e-4,
                              1e-5, 0.00012345, 1.5e-7, Limits::max(), Limits::min(), Limits::denorm_min(),
                              Limits::epsilon(), Limits::infinity(), 3.0000000000000004}) {
    same_text(number);
    same_text(-number);
  }
  std::mt19937_64 random(1);  // NOLINT(bugprone-random-generator-seed): failures must repeat
  for (int i = 0; i < 20000; ++i) {
    const auto any = bits_as<double>(static_cast<std::uint64_t>(random()));
    if (!std::isnan(any)) same_text(any);
    same_text(std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 80) - 60));
    same_text(static_cast<double>(static_cast<float>(random() % 100000) / 1000.0F));
  }
}

TEST_CASE("the portable reader of numbers is std::from_chars") {
  for (const char* text :
       {"1",   "-1.5e3", "1e999", "-1e999", "1e-999", "4.9e-324", "1e-310", "inf", "-inf",  "infinity",
        "nan", "",       "-",     "+1",     " 1",     "0x10",     "1.5x",   ".5",  "-.5e1", ".",
        "e5",  "1e",     "1e+",   "--1",    "i",      "12 34",    "0x",     "1,5", "NaN",   "1.7976931348623157e308"}) {
    CAPTURE(text);
    const ParsedNumber wanted = parse_number(text), found = portable::parse_number(text);
    CHECK(found.length == wanted.length);
    CHECK(found.error == wanted.error);
    if (!std::isnan(wanted.value)) CHECK(found.value == wanted.value);
  }
}

}  // namespace
}  // namespace fluid2onnx

#include "generator/spec/opsets.h"

#include <onnx/defs/schema.h>

#include <charconv>
#include <string_view>

namespace opgen {

int newest_opset() { return onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second; }

bool parse_opsets(const Text& text, Diagnostics& diagnostics, OpsetRange* out) {
  if (text.text.empty()) return true;
  std::string_view rest = text.text;
  const auto number = [&rest](int* value) {
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), *value);
    rest.remove_prefix(static_cast<size_t>(stop - rest.data()));
    return error == std::errc();
  };
  int first = 0;
  bool good = number(&first);
  int last = rest == "+" ? newest_opset() : first;
  if (rest.starts_with("..")) {
    rest.remove_prefix(2);
    good = number(&last) && good && rest.empty();
  } else {
    good = good && (rest.empty() || rest == "+");
  }
  if (!good || first < kOldestOpset || last > newest_opset() || first > last) {
    diagnostics.error("bad-opset", text.span,
                      "expected opsets within " + std::to_string(kOldestOpset) + " to " +
                          std::to_string(newest_opset()) + " but found '" + text.text + "'",
                      "write '13+', '11..12' or '13'");
    return false;
  }
  out->first = first;
  out->last = last;
  return true;
}

}  // namespace opgen

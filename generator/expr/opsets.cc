#include "generator/expr/opsets.h"

#include <onnx/defs/schema.h>

#include <cstdlib>

#include "generator/expr/ast.h"

namespace opgen {

int newest_opset() { return onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second; }

bool parse_opsets(const Text& text, Diagnostics& diagnostics, OpsetRange* out) {
  if (text.text.empty()) return true;
  const std::string& s = text.text;
  char* end = nullptr;
  const long first = std::strtol(s.c_str(), &end, 10);
  long last = first;
  const std::string rest = end;
  bool good = end != s.c_str();
  if (rest == "+") {
    last = newest_opset();
  } else if (rest.rfind("..", 0) == 0) {
    char* end2 = nullptr;
    last = std::strtol(rest.c_str() + 2, &end2, 10);
    good = good && *end2 == '\0' && rest.size() > 2;
  } else {
    good = good && rest.empty();
  }
  if (!good || first < kOldestOpset || last > newest_opset() || first > last) {
    diagnostics.error("bad-opset", text.span,
                      "expected opsets within " + std::to_string(kOldestOpset) + " to " +
                          std::to_string(newest_opset()) + " but found '" + s + "'",
                      "write '13+', '11..12' or '13'");
    return false;
  }
  out->first = static_cast<int>(first);
  out->last = static_cast<int>(last);
  return true;
}

}  // namespace opgen

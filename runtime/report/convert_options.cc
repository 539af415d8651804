#include "runtime/report/convert_options.h"

#include <cctype>

#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

bool is_name(const std::string& text, const char* also) {
  if (text.empty()) return false;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && std::string(also).find(c) == std::string::npos)
      return false;
  return true;
}

}  // namespace

std::pair<std::string, CustomOp> parse_custom_op(const std::string& text) {
  const size_t equals = text.find('='), colons = text.find("::");
  if (equals != std::string::npos && colons != std::string::npos && equals < colons) {
    const CustomOp custom{text.substr(equals + 1, colons - equals - 1), text.substr(colons + 2)};
    if (custom.domain == "ai.onnx")
      throw Error(E_USAGE, "'ai.onnx' is ONNX's own domain")
          .at("--custom-op")
          .hint("use a custom domain, such as com.example");
    if (equals > 0 && is_name(custom.domain, "._-") && is_name(custom.op, "_")) return {text.substr(0, equals), custom};
  }
  throw Error(E_USAGE, "'" + text + "' does not have the form TYPE=DOMAIN::OP, such as my_op=com.example::MyOp")
      .at("--custom-op");
}

void choose_target(const std::string& name, bool opset_given, ConvertOptions* options) {
  options->target = &find_target(name);
  if (!opset_given) options->opset = options->target->best_opset;
}

}  // namespace fluid2onnx

#include "generator/spec/yaml_errors.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace opgen {
namespace {

struct Known {
  std::string_view yaml;
  const char* code;
  const char* message;
  const char* help;
};

constexpr const char* kQuoteBrackets = "quote the text: inside [ ] and { } YAML ends a text at , [ ] { and }";
constexpr const char* kQuoteWhole =
    "check the indentation; quote a text that begins with [ or { or a quote and continues after it";

// The texts of yaml-cpp/exceptions.h, the same in 0.6, 0.7 and 0.8.
constexpr std::array kKnown = {
    Known{"end of sequence flow not found", "yaml-syntax", "the list in [ ] does not continue here", kQuoteBrackets},
    Known{"end of map flow not found", "yaml-syntax", "the mapping in { } does not continue here", kQuoteBrackets},
    Known{"end of sequence not found", "yaml-syntax", "expected another '- ' item or a less indented line",
          kQuoteWhole},
    Known{"end of map not found", "yaml-syntax", "expected another key or a less indented line", kQuoteWhole},
    Known{"illegal map value", "yaml-syntax", "the text contains a second ': '", "quote a text that contains ': '"},
    Known{"illegal map key", "yaml-syntax", "a key is not allowed here", "check the indentation"},
    Known{"illegal block entry", "yaml-syntax", "a '- ' item is not allowed here",
          "begin the list on a separate line, below its key"},
    Known{"illegal flow end", "yaml-syntax", "a closing bracket has no opening one", kQuoteBrackets},
    Known{"unknown token", "yaml-syntax", "a text cannot begin with this character", "quote the text"},
};

/// The line up to `at`.
std::string_view line_before(const std::string& source, size_t at) {
  const size_t newline = at == 0 ? std::string::npos : source.rfind('\n', at - 1);
  const size_t start = newline == std::string::npos ? 0 : newline + 1;
  return std::string_view(source).substr(start, at - start);
}

}  // namespace

YamlError anchor_error() {
  return {"yaml-anchor", "anchors ('&name') are not used in specs", "quote a text that begins with '&'"};
}

YamlError alias_error() {
  return {"yaml-alias", "aliases ('*name') are not used in specs", "quote a text that begins with '*'"};
}

YamlError open_quote_error() { return {"yaml-syntax", "a quoted text is not closed", ""}; }

YamlError explain_yaml_error(const std::string& message, const std::string& source, size_t at) {
  if (message == "the referenced anchor is not defined" || message == "alias not found after *") return alias_error();
  if (message == "anchor not found after &") return anchor_error();
  const std::string_view before = line_before(source, at);
  const size_t indentation = before.find_first_not_of(" \t");
  if (before.substr(0, indentation).find('\t') != std::string_view::npos)
    return {"yaml-syntax", "the indentation contains a tab", "indent with spaces"};
  // yaml-cpp then wants the value of a key
  if (at < source.size() && source[at] == '?' && !before.empty() && before.back() != ' ')
    return {"yaml-syntax", "YAML ends a text in brackets at '?'", "quote the text, as in \"tensor?\""};
  if (message == "illegal map value" && before.find(": ") == std::string_view::npos)
    return {"yaml-syntax", "this line continues the text above it", "check the indentation"};
  const auto* const known =
      std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& k) { return k.yaml == message; });
  if (known != kKnown.end()) return {known->code, known->message, known->help};
  return {"yaml-syntax", message, ""};
}

}  // namespace opgen

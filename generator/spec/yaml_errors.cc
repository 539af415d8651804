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

constexpr const char* kQuoteBrackets = "inside [ ] and { } YAML ends a text at , [ ] { and }: quote such a text";
constexpr const char* kQuoteWhole =
    "check the indentation; a text that begins with [ or { or a quote but goes on after it must be quoted as a whole";

// The texts of yaml-cpp/exceptions.h, the same in 0.6, 0.7 and 0.8.
constexpr std::array kKnown = {
    Known{"end of sequence flow not found", "yaml-syntax", "this does not continue the list in [ ]", kQuoteBrackets},
    Known{"end of map flow not found", "yaml-syntax", "this does not continue the mapping in { }", kQuoteBrackets},
    Known{"end of sequence not found", "yaml-syntax", "expected another '- ' item or a less indented line",
          kQuoteWhole},
    Known{"end of map not found", "yaml-syntax", "expected another key or a less indented line", kQuoteWhole},
    Known{"illegal map value", "yaml-syntax", "a second ': ' in one text", "quote a text that contains ': '"},
    Known{"illegal map key", "yaml-syntax", "a key cannot stand here", "check the indentation"},
    Known{"illegal block entry", "yaml-syntax", "a '- ' item cannot stand here",
          "begin the list on a line of its own, below its key"},
    Known{"illegal flow end", "yaml-syntax", "a closing bracket without an opening one", kQuoteBrackets},
    Known{"unknown token", "yaml-syntax", "a text cannot begin with this character", "quote the text"},
    Known{"illegal EOF in scalar", "yaml-syntax", "a quoted text is not closed", ""},
    Known{"illegal tab when looking for indentation", "yaml-syntax", "a tab in the indentation", "indent with spaces"},
    Known{"the referenced anchor is not defined", "yaml-alias", "aliases ('*name') are not used in specs",
          "quote a text that begins with '*'"},
    Known{"alias not found after *", "yaml-alias", "aliases ('*name') are not used in specs",
          "quote a text that begins with '*'"},
    Known{"anchor not found after &", "yaml-anchor", "anchors ('&name') are not used in specs",
          "quote a text that begins with '&'"},
};

}  // namespace

YamlError explain_yaml_error(const std::string& message) {
  const auto* const known =
      std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& k) { return k.yaml == message; });
  if (known != kKnown.end()) return {known->code, known->message, known->help};
  return {"yaml-syntax", message, ""};
}

}  // namespace opgen

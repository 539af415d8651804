#include "generator/diagnostics/text.h"

#include <cctype>

namespace opgen {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace opgen

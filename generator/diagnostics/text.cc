#include "generator/diagnostics/text.h"

#include <cctype>
#include <sstream>

namespace opgen {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

std::string capitalised(std::string name) {
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> items;
  std::istringstream in(text);
  for (std::string item; std::getline(in >> std::ws, item, ',');) items.push_back(item);
  return items;
}

}  // namespace opgen

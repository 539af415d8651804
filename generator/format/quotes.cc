#include "generator/format/quotes.h"

#include <algorithm>
#include <set>

namespace opgen {
namespace {

bool is_plain(const std::string& text, bool in_flow) {
  static const std::set<std::string> nulls{"~", "null", "Null", "NULL"};
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || nulls.count(text) > 0) return false;
  if (std::string("[]{}\"'#&*!|>%@`,").find(text[0]) != std::string::npos) return false;
  const bool indicator = text[0] == '-' || text[0] == '?' || text[0] == ':';
  if (indicator && (text.size() == 1 || text[1] == ' ' || text[1] == '-')) return false;
  if (text.find(": ") != std::string::npos || text.back() == ':' || text.find(" #") != std::string::npos) return false;
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; })) return false;
  return !in_flow || text.find_first_of(",[]{}?") == std::string::npos;
}

}  // namespace

std::string quoted_if_needed(const std::string& text, bool in_flow) {
  if (is_plain(text, in_flow)) return text;
  const auto escapes = std::count_if(text.begin(), text.end(), [](char c) { return c == '"' || c == '\\'; });
  const auto doubled = std::count(text.begin(), text.end(), '\'');
  const char quote = escapes > doubled ? '\'' : '"';
  std::string out(1, quote);
  for (const char c : text) {
    if (quote == '"' && (c == '"' || c == '\\')) out += '\\';
    if (quote == '\'' && c == '\'') out += '\'';
    out += c;
  }
  return out + quote;
}

}  // namespace opgen

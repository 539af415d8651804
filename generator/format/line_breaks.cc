#include "generator/format/line_breaks.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

namespace opgen {
namespace {

/// A blank at which the text may be broken, and how much is held together there: less is better.
struct Gap {
  size_t at;
  int cost;
};

/// The word in front of the gap wants the one behind it.
bool joins(const std::string& text, size_t gap) {
  static const std::set<std::string> words{"if", "else", "for", "in", "and", "or", "not", "=",  "+",  "-",  "*", "/",
                                           "//", "%",    "==",  "!=", "<",   "<=", ">",   ">=", "->", "**", "-"};
  const size_t before = text.rfind(' ', gap - 1);
  return words.count(text.substr(before == std::string::npos ? 0 : before + 1, gap - (before + 1))) > 0;
}

std::vector<Gap> gaps(const std::string& text) {
  std::vector<Gap> list;
  const char outer = text[0] == '"' || text[0] == '\'' ? text[0] : '\0';  // the whole is quoted
  std::string quotes;                                                     // open ones, outermost first
  int depth = 0;
  for (size_t i = outer != '\0' ? 1 : 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') {
      // An escaped quote begins or ends a string within a quoted text.
      if (i + 1 < text.size() && text[i + 1] == '"') {
        if (!quotes.empty() && quotes.back() == '\\') quotes.pop_back();
        else quotes += '\\';
      }
      ++i;
    } else if (c == '"' || c == '\'') {
      const char before = i > 0 ? text[i - 1] : ' ';
      const bool apostrophe = c == '\'' && (std::isalnum(static_cast<unsigned char>(before)) != 0);
      if (!quotes.empty() && quotes.back() == c) quotes.pop_back();
      else if (!apostrophe) quotes += c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ' ' && i > 0 && i + 1 < text.size()) {
      const char before = text[i - 1];
      const char after = text[i + 1];
      if (before == ' ' || after == ' ' || after == '#') continue;
      const int form = before == ',' || before == ';' ? 0 : before == ':' ? 6 : joins(text, i) ? 3 : 1;
      list.push_back({i, 4 * (depth + static_cast<int>(quotes.size())) + form});
    }
  }
  return list;
}

}  // namespace

size_t width_of(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string break_lines(const std::string& text, size_t column, size_t indent, size_t width) {
  const std::vector<Gap> all = gaps(text);
  std::string out;
  size_t from = 0;
  while (column + width_of(std::string_view(text).substr(from)) > width) {
    // The cheapest gap of the line's second half, the last of several; else the first one there is.
    const Gap* best = nullptr;
    for (const Gap& gap : all) {
      if (gap.at <= from) continue;
      const size_t reach = column + width_of(std::string_view(text).substr(from, gap.at - from));
      if (reach > width) {
        if (best == nullptr) best = &gap;
        break;
      }
      if (reach < width / 2) continue;
      if (best == nullptr || gap.cost <= best->cost) best = &gap;
    }
    if (best == nullptr) break;
    out += text.substr(from, best->at - from) + "\n" + std::string(indent, ' ');
    from = best->at + 1;
    column = indent;
  }
  return out + text.substr(from);
}

}  // namespace opgen

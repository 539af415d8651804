#include "generator/print/tables.h"

#include "generator/print/cpp_text.h"

namespace opgen::cpp {

Piece text(const std::string& s) { return Piece::literal(quoted(s)); }

std::string row(std::vector<Piece> items) {
  Page page;
  page.indent(3);
  page.line(Piece::list("{", std::move(items), "},"));
  return page.text();
}

std::string chomp(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace opgen::cpp

#include "generator/print/tables.h"

#include <cctype>
#include <filesystem>

#include "generator/print/cpp_text.h"

namespace opgen::cpp {

Piece text(const std::string& s) { return Piece::literal(quoted(s)); }

std::string row(std::vector<Piece> items, size_t depth) {
  Page page;
  page.indent(depth);
  page.line(Piece::list("{", std::move(items), "},"));
  return page.text();
}

std::string spec_name(const std::string& file) {
  std::string name = "k";
  bool starts = true;
  std::filesystem::path path = std::filesystem::path(file).replace_extension();
  if (path.begin() != path.end() && *path.begin() == "opspecs") path = path.lexically_relative("opspecs");
  for (const char c : path.string()) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += starts ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    starts = std::isalnum(static_cast<unsigned char>(c)) == 0;
  }
  return name;
}

std::string spec_constant(const std::string& file) {
  return "constexpr char " + spec_name(file) + "[] = " + quoted(file) + ";";
}

std::string chomp(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace opgen::cpp

// The guide's table of error codes, from the one in runtime/support/error_code.h.
//
//   error_codes GUIDE            fails unless the guide has the table
//   error_codes GUIDE --update   puts it there
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "runtime/support/error_code.h"

using namespace fluid2onnx;

namespace {

constexpr std::string_view kBegin = "<!-- error codes, rendered: -->\n";
constexpr std::string_view kEnd = "<!-- end of error codes -->\n";

std::string table() {
  std::string text = "| code | exit code | |\n|---|---|---|\n";
  for (const ErrorCodeInfo& row : kErrorCodes) {
    text += "| `" + std::string(row.name) + "` | " + std::to_string(static_cast<int>(row.exit)) + " | " +
            std::string(row.sentence) + " |\n";
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string path = argv[1];
  std::stringstream read;
  read << std::ifstream(path).rdbuf();
  std::string text = read.str();
  const size_t begin = text.find(kBegin);
  const size_t end = text.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    std::cerr << path << " has no place for the table, between '" << kBegin << "' and '" << kEnd << "'\n";
    return 1;
  }
  const size_t from = begin + kBegin.size();
  const std::string wanted = "\n" + table() + "\n";
  if (text.compare(from, end - from, wanted) == 0) return 0;
  if (argc == 2) {
    std::cerr << path << " has another table of error codes; refresh it with the target 'regen'\n";
    return 1;
  }
  text.replace(from, end - from, wanted);
  return std::ofstream(path) << text ? 0 : 1;
}

// opgen's command line, parsed.
#pragma once

#include <string>
#include <vector>

namespace opgen {

enum class Verb { check, fmt, explain, create, test, stats, examples, dump, render };

struct Options {
  Verb verb = Verb::check;
  std::vector<std::string> words;  ///< arguments that are not options: operators, files
  std::string root = ".";
  std::string out = "build/rendered";
  std::string format = "text";
  int opset = 0;       ///< 0: not given
  bool check = false;  ///< of fmt
};

/// Parses the command line. Without a command to run, for example after --help, prints a text and returns false; the
/// process then exits with `exit_code`.
bool parse_options(int argc, char** argv, Options* options, int* exit_code);

}  // namespace opgen

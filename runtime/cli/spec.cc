#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "interpreter/load.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/process.h"
#include "runtime/support/error.h"
#include "runtime/support/text.h"

namespace fluid2onnx::cli {
namespace {

constexpr char kHelp[] = R"(Check and run spec files of operators for 'convert --spec'.

Usage: fluid2onnx spec COMMAND [OPTIONS]

Commands:
  check                     Report all errors in spec files
  test                      Run the examples of spec files in Paddle and, converted, in ONNX Runtime (needs
                            Python with both)
  examples                  Print the examples of spec files as JSON
  functions                 List the functions that specs can call

A spec defines how an operator becomes ONNX nodes. It has the operator's signature, which 'fluid2onnx inspect MODEL
--ops' prints, and a recipe: expressions of ONNX operators.

  op: snake_relu
  inputs: {X: tensor}
  outputs: {Out: tensor}
  attrs: {alpha: "float = 1.0"}
  nodes:
    - s = Sin(X * alpha)
    - Out = X + s * s / alpha

If Paddle defines the operator, omit the types, as in 'inputs: [X]': fluid2onnx has its signature.

Exit status: 0 done, 1 errors or differences, 2 wrong usage.
Run 'fluid2onnx spec COMMAND --help' for the options of a command.
)";

constexpr char kCheckHelp[] = R"(Report all errors in spec files

Usage: fluid2onnx spec check FILE... [OPTIONS]

Arguments:
  FILE                      A spec file, or a folder of spec files

Options:
  -h, --help                Print this help
  --json                    Print the errors as JSON

Exit status: 0 no errors, 1 errors in specs, 2 wrong usage.
)";

constexpr char kExamplesHelp[] = R"(Print the examples of spec files as JSON

Usage: fluid2onnx spec examples FILE...

Arguments:
  FILE                      A spec file, or a folder of spec files

Options:
  -h, --help                Print this help

Exit status: 0 done, 2 wrong usage or errors in specs.
)";

constexpr char kFunctionsHelp[] = R"(List the functions that specs can call

Usage: fluid2onnx spec functions [WORD]

Arguments:
  WORD                      Print only the functions whose signature or description contains WORD

Options:
  -h, --help                Print this help

Exit status: 0 done, 2 wrong usage or no function matches.
)";

int wrong(const std::string& message, const std::string& command = "") {
  const std::string words = "spec" + (command.empty() ? "" : " " + command);
  std::cerr << "fluid2onnx " << words << ": error: " << message << "\n  hint: run 'fluid2onnx " << words
            << " --help' for the " << (command.empty() ? "commands" : "options") << "\n";
  return kUsage;
}

int check(std::vector<std::string> paths) {
  const bool as_json = std::erase(paths, "--json") > 0;
  if (paths.empty()) return wrong("FILE is required", "check");
  const auto start = std::chrono::steady_clock::now();
  const SpecCheck found = check_specs(paths);
  if (as_json) std::cout << found.json << "\n";
  else std::cerr << found.text;
  if (found.ok && !as_json) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%zu operators, %zu functions and %zu examples are correct (%.2f s)\n", found.operators,
                found.functions, found.examples, seconds);
    std::fflush(stdout);
  }
  return found.ok ? kDone : kCannotConvert;
}

/// Replaces this process by the Python package, which runs the examples. Returns only if Python cannot be started.
int test(const std::vector<std::string>& words) {
  tell_python_of_this_program();
  std::vector<std::string> command{python(), "-m", "fluid2onnx.spec_command"};
  command.insert(command.end(), words.begin(), words.end());
  std::cout.flush();
  const int code = become(std::move(command));
  if (code != kNotStarted) return code;
  std::cerr << "fluid2onnx spec: error: cannot run '" << python() << "', which runs the examples\n"
            << "  hint: install Python 3, or set the environment variable FLUID2ONNX_PYTHON to an interpreter\n";
  return kUsage;
}

}  // namespace

int spec(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[2] : "";
  const std::vector<std::string> rest(argv + (argc > 3 ? 3 : argc), argv + argc);
  const std::map<std::string, const char*> help{
      {"check", kCheckHelp}, {"examples", kExamplesHelp}, {"functions", kFunctionsHelp}};
  if (what == "test") return test(rest);  // with the help of the Python package
  if (const auto found = help.find(what); found != help.end()) {
    for (const std::string& word : rest) {
      if (word == "-h" || word == "--help") {
        std::cout << found->second;
        return kDone;
      }
      if (word.starts_with("-") && !(what == "check" && word == "--json"))
        return wrong("unknown option '" + word + "'", what);
    }
  }
  if (what == "check") return check(rest);
  if (what == "examples") {
    if (rest.empty()) return wrong("FILE is required", what);
    std::cout << spec_examples(rest) << "\n";
    return kDone;
  }
  if (what == "functions") {
    if (rest.size() > 1) return wrong("unexpected argument '" + rest[1] + "'", what);
    const std::string text = functions_text(rest.empty() ? "" : rest.front());
    if (text.empty()) return wrong("no function matches '" + rest.front() + "'", what);
    std::cout << text;
    return kDone;
  }
  if (what != "-h" && what != "--help" && !what.empty()) {
    const std::vector<std::string> known{"check", "test", "examples", "functions"};
    return wrong("unknown command 'spec " + what + "'" + did_you_mean(what, known));
  }
  std::cout << kHelp;
  return what.empty() ? kUsage : kDone;
}

}  // namespace fluid2onnx::cli

#include <chrono>
#include <cstdio>
#include <iostream>
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

Usage: fluid2onnx spec check FILE... [--json]
       fluid2onnx spec test FILE... [--only OP[:EXAMPLE]] [--opset N] [--references FOLDER]
       fluid2onnx spec examples FILE...
       fluid2onnx spec functions [WORD]

check                       Report all errors in spec files, or folders of spec files
test                        Run the examples in Paddle, and converted in ONNX Runtime (needs Python with both)
examples                    Print the examples as JSON
functions                   List the functions that recipes can call, all or those that match WORD

A spec has the operator's signature, as 'fluid2onnx inspect MODEL --ops' lists it, and a recipe of ONNX operators:

  op: snake_relu
  inputs: {X: tensor}
  outputs: {Out: tensor}
  attrs: {alpha: "float = 1.0"}
  nodes:
    - s = Sin(X * alpha)
    - Out = X + s * s / alpha

Specs of Paddle's operators list names without types, as in 'inputs: [X]'; 'opgen new OP' prints a draft of such a spec.

Exit status: 0 done, 1 errors or differences, 2 wrong usage.
)";

int wrong(const std::string& message) {
  std::cerr << "fluid2onnx spec: error: " << message << "\n  hint: run 'fluid2onnx spec --help' for the commands\n";
  return kUsage;
}

int check(std::vector<std::string> paths) {
  const bool as_json = std::erase(paths, "--json") > 0;
  for (const std::string& path : paths)
    if (path.starts_with("-")) return wrong("unknown option '" + path + "'");
  if (paths.empty()) return wrong("FILE is required");
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

/// The Python package runs them. Comes back only when there is no Python.
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
  if (what == "check") return check(rest);
  if (what == "test") return test(rest);
  if (what == "examples") {
    if (rest.empty()) return wrong("FILE is required");
    std::cout << spec_examples(rest) << "\n";
    return kDone;
  }
  if (what == "functions") {
    const std::string text = functions_text(rest.empty() ? "" : rest.front());
    if (text.empty()) return wrong("no function matches '" + rest.front() + "'");
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

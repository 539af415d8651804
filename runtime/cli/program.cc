#include "runtime/cli/program.h"

#include <iostream>
#include <optional>
#include <string_view>

#include "interpreter/load.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"
#include "runtime/cli/signals.h"
#include "runtime/support/platform.h"

namespace fluid2onnx::cli {
namespace {

int run(const Arguments& arguments) {
  switch (arguments.command) {
    case Arguments::Command::convert: return convert(arguments);
    case Arguments::Command::inspect: return inspect(arguments);
    case Arguments::Command::ops: return ops(arguments);
    case Arguments::Command::lint: return lint(arguments);
    case Arguments::Command::spec_check: return spec_check(arguments);
    case Arguments::Command::spec_examples: return spec_examples(arguments);
    case Arguments::Command::spec_functions: return spec_functions(arguments);
  }
  return kUsage;
}

int run(int argc, char** argv) {
  handle_signals();
  std::optional<Arguments> arguments;
  try {
    const std::string_view command = argc > 1 ? argv[1] : "";
    if (command == "validate") return validate(argc, argv);
    if (command == "report") return report(argc, argv);
    if (command == "spec" && argc > 2 && std::string_view(argv[2]) == "test") {
      return run_python("spec_command", {argv + 3, argv + argc});
    }
    if (command == "batch") return batch();
    int code = kDone;
    arguments = parse_arguments(argc, argv, &code);
    if (!arguments) return code;
    if (!arguments->specs.empty()) arguments->options.specs = load_specs(arguments->specs);
    return run(*arguments);
  } catch (...) {
    return report_exception(argc > 1 ? argv[1] : "", arguments ? arguments->json : JsonTarget{});
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  const platform::StandardStreams streams;
  int code = run(argc, argv);
  if (!std::cout.flush() && code == kDone) {
    std::cerr << "fluid2onnx: error: cannot write to the standard output\n";
    code = kBadFile;
  }
  std::cerr.flush();
  return code;
}

}  // namespace fluid2onnx::cli

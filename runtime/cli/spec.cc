#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "interpreter/load.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"
#include "runtime/support/error.h"

namespace fluid2onnx::cli {

int spec_check(const Arguments& a) {
  const auto start = std::chrono::steady_clock::now();
  const SpecCheck found = check_specs(a.spec_files);
  if (a.json.wanted) print_json(nlohmann::json::parse(found.json), a.json);
  if (!a.json.to_stdout()) std::cerr << found.text;
  if (found.ok && !a.json.to_stdout()) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%zu operators, %zu functions and %zu examples are correct (%.2f s)\n", found.operators,
                found.functions, found.examples, seconds);
    std::fflush(stdout);
  }
  return found.ok ? kDone : kCannotConvert;
}

int spec_examples(const Arguments& a) {
  std::cout << fluid2onnx::spec_examples(a.spec_files) << "\n";
  return kDone;
}

int spec_functions(const Arguments& a) {
  const std::string text = functions_text(a.op);
  if (text.empty()) {
    throw Error(E_USAGE, "no function matches '" + a.op + "'").hint("run 'fluid2onnx spec functions' to list all");
  }
  std::cout << text;
  return kDone;
}

}  // namespace fluid2onnx::cli

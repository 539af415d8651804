#include "runtime/cli/output.h"

#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

#include "runtime/files/output_file.h"
#include "runtime/report/exit_code.h"
#include "runtime/report/report_json.h"
#include "runtime/support/json_text.h"

namespace fluid2onnx::cli {
namespace {

int print_error(const char* command, const JsonTarget& target, const Error& error) {
  std::cerr << "fluid2onnx " << command << ": error: " << error.what() << "\n";
  if (target.wanted) {
    try {
      print_json(error_json(error), target);
    } catch (const Error&) {
      // The first error counts.
    }
  }
  return exit_code(error);
}

}  // namespace

int report_exception(const char* command, const JsonTarget& target) {
  try {
    throw;
  } catch (const Error& e) {
    return print_error(command, target, e);
  } catch (const std::exception& e) {
    return print_error(command, target, error_of(e));
  }
}

void print_json(const nlohmann::json& value, const JsonTarget& target) {
  const std::string text = json_text(value);
  if (target.path == "-") {
    std::cout << text << std::flush;
    if (!std::cout) throw Error(E_WRITE, "cannot be written").at("stdout");
    return;
  }
  OutputFile file(target.path);
  file.write(text);
  file.finish(/*sync=*/false);
  file.commit();
}

}  // namespace fluid2onnx::cli

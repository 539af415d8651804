#include "runtime/cli/output.h"

#include <algorithm>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

#include "runtime/driver/report_json.h"
#include "runtime/program/inspect.h"
#include "runtime/write/output_file.h"

namespace fluid2onnx::cli {
namespace {

int tell(const char* command, const JsonTarget& json, const Error& error, int code) {
  std::cerr << "fluid2onnx " << command << ": error: " << error.what() << "\n";
  if (json.wanted) {
    try {
      print_json(error_json(error), json);
    } catch (const Error&) {
      // The first error counts.
    }
  }
  return code;
}

}  // namespace

int exit_code(const Error& error) {
  // What the reader refuses to read is not the model's fault, but nor is it the file's.
  static constexpr const char* kCannot[] = {"E_CHECK",     "E_UNSUPPORTED", "E_UNSUPPORTED_OP", "E_TOO_LARGE",
                                            "E_REFERENCE", "E_INTERNAL",    "E_OPSET"};
  if (error.code() == "E_USAGE") return kUsage;
  const bool cannot =
      std::any_of(std::begin(kCannot), std::end(kCannot), [&](const char* c) { return error.code() == c; });
  return cannot ? kCannotConvert : kBadFile;
}

int exit_code(const Report& report) {
  if (report.ok) return kDone;
  const bool damaged = std::any_of(report.problems.begin(), report.problems.end(),
                                   [](const Problem& p) { return p.code == "E_BAD_PROGRAM"; });
  return damaged ? kBadFile : kCannotConvert;
}

int report_exception(const char* command, const JsonTarget& json) {
  try {
    throw;
  } catch (const Error& e) {
    return tell(command, json, e, exit_code(e));
  } catch (const std::bad_alloc&) {
    return tell(command, json, Error("E_MEMORY", "not enough memory"), kBadFile);
  } catch (const std::exception& e) {
    Error error("E_INTERNAL", e.what());
    error.hint("this is a bug of fluid2onnx; please report it with the model");
    return tell(command, json, error, kCannotConvert);
  }
}

void print_json(const nlohmann::json& json, const JsonTarget& target) {
  const std::string text = json_text(json);
  if (target.path == "-") {
    std::cout << text << std::flush;
    if (!std::cout) throw Error("E_WRITE", "cannot be written").at("stdout");
    return;
  }
  OutputFile file(target.path);
  file.write(text);
  file.finish(/*sync=*/false);
  file.publish();
}

}  // namespace fluid2onnx::cli

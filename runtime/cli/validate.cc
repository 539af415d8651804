#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/cli/commands.h"
#include "runtime/cli/process.h"
#include "runtime/support/platform.h"
#include "runtime/support/text.h"

namespace fluid2onnx::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kValidate[] = "validate_command";

// Python's own message for a missing package names one at a time, below a traceback.
constexpr char kLauncher[] = R"(
import importlib.util, runpy, sys
module = sys.argv.pop(1)
command = {"validate_command": "validate", "bug_report": "report", "spec_command": "spec"}.get(module, "inspect")
pip = {"fluid2onnx": "FLUID2ONNX", "numpy": "'numpy<2'", "paddle": "paddlepaddle==2.6.2 'numpy<2'"}
wanted = ["fluid2onnx"]
if command == "validate" and not {"-h", "--help"} & set(sys.argv[1:]):
    recorded = any(word.split("=")[0] == "--expected" for word in sys.argv[1:])
    wanted += [*([] if recorded else ["paddle"]), "numpy", "onnxruntime"]
missing = [name for name in wanted if importlib.util.find_spec(name) is None]
if missing:
    packages = dict.fromkeys(" ".join(pip.get(name, name) for name in missing).split())
    where = ", where FLUID2ONNX is the wheel or the repository" if "fluid2onnx" in missing else ""
    sys.stderr.write("fluid2onnx %s: error: %s has no package %s\n" % (command, sys.executable, " ".join(missing)))
    sys.stderr.write("  hint: %s -m pip install %s%s\n" % (sys.executable, " ".join(packages), where))
    sys.stderr.write("  hint: or set the environment variable FLUID2ONNX_PYTHON to another interpreter\n")
    sys.exit(2)
runpy.run_module("fluid2onnx." + module, run_name="__main__", alter_sys=True)
)";

/// The folder of the package, if it is near the program: in a checkout, or in an installation.
std::string package_folder(const fs::path& program) {
  std::error_code ignored;
  for (fs::path folder = program.parent_path(); folder != folder.root_path(); folder = folder.parent_path()) {
    for (const char* below : {"python", "share/fluid2onnx/python"}) {
      if (fs::exists(folder / below / "fluid2onnx" / "__init__.py", ignored)) return (folder / below).string();
    }
  }
  return "";
}

/// Sets the environment in which Python finds the package, and the package this program.
void set_python_environment() {
  const fs::path program = platform::program_path();
  if (program.empty()) return;
  set_variable("FLUID2ONNX", program.string(), false);  // the package converts with this very program
  const std::string folder = package_folder(program);
  const char* old = std::getenv("PYTHONPATH");
  // Last: the user's own folders come first.
  if (folder.empty()) return;
  set_variable("PYTHONPATH", old && *old ? std::string(old) + kPathSeparator + folder : folder, true);
}

}  // namespace

int run_python(const char* module, const std::vector<std::string>& arguments, bool wait, std::string* output) {
  set_python_environment();
  std::vector<std::string> words{python(), "-c", kLauncher, module};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::cout.flush();
  const int code = wait ? run_and_wait(std::move(words), output) : exec_program(std::move(words));
  if (code != kNotStarted) return code;
  std::cerr << "fluid2onnx: error: cannot run '" << python() << "', which this command needs\n"
            << "  hint: install Python 3, or set the environment variable FLUID2ONNX_PYTHON to an interpreter\n";
  return kUsage;
}

int validate(int argc, char** argv) { return run_python(kValidate, {argv + 2, argv + argc}); }

int report(int argc, char** argv) { return run_python("bug_report", {argv + 2, argv + argc}); }

int page(const Arguments& a) {
  std::vector<std::string> arguments{a.model, "--html=" + a.html, "--opset=" + std::to_string(a.options.opset)};
  if (!a.files.params.empty()) arguments.push_back("--params=" + a.files.params);
  for (const std::string& shape : a.shapes) arguments.push_back("--input-shape=" + shape);
  if (!a.options.inputs.empty()) arguments.push_back("--inputs=" + joined(a.options.inputs, ","));
  if (!a.options.outputs.empty()) arguments.push_back("--outputs=" + joined(a.options.outputs, ","));
  return run_python("page.command", arguments);
}

int validate(const Arguments& a, const std::string& onnx, nlohmann::json* report) {
  std::vector<std::string> arguments{a.model, onnx};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) arguments.push_back(std::string(option) + "=" + value);
  };
  add("--params", a.files.params);
  add("--inputs", a.recorded_inputs);
  add("--expected", a.expected);
  for (const std::string& shape : a.shapes) add("--input-shape", shape);
  for (const std::string& output : a.options.outputs) add("--output", output);
  for (const std::string& library : a.custom_op_libraries) add("--custom-op-library", library);
  // As much as the outputs of networks lose in 16 bits; bfloat16 has 3 of them less.
  if (a.options.precision.to == Dtype::float16) arguments.insert(arguments.end(), {"--rtol=0.01", "--atol=0.01"});
  if (a.options.precision.to == Dtype::bfloat16) arguments.insert(arguments.end(), {"--rtol=0.08", "--atol=0.08"});
  if (report) arguments.push_back("--json");
  std::string output;
  const int code = run_python(kValidate, arguments, /*wait=*/true, report ? &output : nullptr);
  if (report) {
    *report = nlohmann::json::parse(output, nullptr, false);
    if (report->is_discarded()) *report = nullptr;
  }
  return code;
}

}  // namespace fluid2onnx::cli

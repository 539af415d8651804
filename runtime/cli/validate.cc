#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cli/commands.h"
#include "runtime/support/error.h"
#include "runtime/support/platform.h"

namespace fluid2onnx::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kValidate[] = "validate_command";
constexpr char kPage[] = "page.command";
constexpr char kReport[] = "bug_report";

// Python's own message for a missing package names one at a time, below a traceback.
constexpr char kLauncher[] = R"(
import importlib.util, runpy, sys
module = sys.argv.pop(1)
command = {"validate_command": "validate", "bug_report": "report"}.get(module, "inspect")
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

/// The Python that has the packages, the launcher, and the arguments for the command.
class Command {
 public:
  Command(const char* module, std::vector<std::string> arguments) {
    const char* named = std::getenv("FLUID2ONNX_PYTHON");
    words_ = {named && *named ? named : "python3", "-c", kLauncher, module};
    words_.insert(words_.end(), arguments.begin(), arguments.end());
  }
  /// Comes back only when Python cannot be run; gives the exit code then.
  int become() {
    std::vector<char*> pointers;
    for (std::string& word : words_) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    std::cerr << "fluid2onnx: error: cannot run '" << words_[0] << "', which this command needs\n"
              << "  hint: install Python 3, or set the environment variable FLUID2ONNX_PYTHON to an interpreter\n";
    return kUsage;
  }

 private:
  std::vector<std::string> words_;
};

/// Runs the command to its end; what it prints goes to `output`, if that is not null.
int run_command(Command command, std::string* output) {
  int ends[2] = {-1, -1};
  if (output && ::pipe(ends) != 0) throw Error(E_IO, "cannot make a pipe");
  std::cout.flush();
  const pid_t child = ::fork();
  if (child < 0) throw Error(E_MEMORY, "cannot start another process");
  if (child == 0) {
    if (output) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
    }
    std::_Exit(command.become());
  }
  if (output) {
    ::close(ends[1]);
    char part[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], part, sizeof part)) > 0;)
      output->append(part, static_cast<size_t>(got));
    ::close(ends[0]);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kBadFile;
}

}  // namespace

void tell_python_of_this_program() {
  const fs::path program = platform::program_path();
  if (program.empty()) return;
  setenv("FLUID2ONNX", program.c_str(), 0);  // converts with this very program
  const std::string folder = package_folder(program);
  const char* old = std::getenv("PYTHONPATH");
  // Last: what the user has put there comes first.
  if (!folder.empty()) setenv("PYTHONPATH", (old && *old ? std::string(old) + ":" + folder : folder).c_str(), 1);
}

int validate(int argc, char** argv) {
  tell_python_of_this_program();
  std::cout.flush();
  return Command(kValidate, std::vector<std::string>(argv + 2, argv + argc)).become();
}

int report(int argc, char** argv) {
  tell_python_of_this_program();
  std::cout.flush();
  return Command(kReport, std::vector<std::string>(argv + 2, argv + argc)).become();
}

int page(const Arguments& a) {
  const auto joined = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    return text;
  };
  std::vector<std::string> arguments{a.model, "--html=" + a.html, "--opset=" + std::to_string(a.options.opset)};
  if (!a.files.params.empty()) arguments.push_back("--params=" + a.files.params);
  for (const std::string& shape : a.shapes) arguments.push_back("--input-shape=" + shape);
  if (!a.options.inputs.empty()) arguments.push_back("--inputs=" + joined(a.options.inputs));
  if (!a.options.outputs.empty()) arguments.push_back("--outputs=" + joined(a.options.outputs));
  tell_python_of_this_program();
  return Command(kPage, std::move(arguments)).become();
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
  tell_python_of_this_program();
  std::string output;
  const int code = run_command(Command(kValidate, std::move(arguments)), report ? &output : nullptr);
  if (report) {
    *report = nlohmann::json::parse(output, nullptr, false);
    if (report->is_discarded()) *report = nullptr;
  }
  return code;
}

}  // namespace fluid2onnx::cli

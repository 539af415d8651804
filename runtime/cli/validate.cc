#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "runtime/cli/commands.h"

namespace fluid2onnx::cli {
namespace {

namespace fs = std::filesystem;

// Python's own message for a missing package names one at a time, below a traceback.
constexpr char kLauncher[] = R"(
import importlib.util, runpy, sys
pip = {"fluid2onnx": ".", "numpy": "'numpy<2'", "paddle": "paddlepaddle==2.6.2 'numpy<2'"}
wanted = ["fluid2onnx"]
if not {"-h", "--help"} & set(sys.argv[1:]):
    recorded = any(word.split("=")[0] == "--expected" for word in sys.argv[1:])
    wanted += [*([] if recorded else ["paddle"]), "numpy", "onnxruntime"]
missing = [name for name in wanted if importlib.util.find_spec(name) is None]
if missing:
    packages = dict.fromkeys(" ".join(pip.get(name, name) for name in missing).split())
    where = ", in fluid2onnx's repository" if "fluid2onnx" in missing else ""
    sys.stderr.write("fluid2onnx validate: error: %s lacks %s\n" % (sys.executable, " ".join(missing)))
    sys.stderr.write("  hint: %s -m pip install %s%s\n" % (sys.executable, " ".join(packages), where))
    sys.stderr.write("  hint: or name another interpreter in the environment variable FLUID2ONNX_PYTHON\n")
    sys.exit(2)
runpy.run_module("fluid2onnx.validate_command", run_name="__main__", alter_sys=True)
)";

/// The folder to import the package from, if it stands near the program: in a checkout, or where it was installed.
std::string package_folder(const fs::path& program) {
  std::error_code ignored;
  for (fs::path folder = program.parent_path(); folder != folder.root_path(); folder = folder.parent_path()) {
    for (const char* below : {"python", "share/fluid2onnx/python"}) {
      if (fs::exists(folder / below / "fluid2onnx" / "__init__.py", ignored)) return (folder / below).string();
    }
  }
  return "";
}

}  // namespace

int validate(int argc, char** argv) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    setenv("FLUID2ONNX", program.c_str(), 0);  // converts with this very program
    const std::string folder = package_folder(program);
    const char* old = std::getenv("PYTHONPATH");
    // Last: what the user has put there comes first.
    if (!folder.empty()) setenv("PYTHONPATH", (old && *old ? std::string(old) + ":" + folder : folder).c_str(), 1);
  }
  const char* named = std::getenv("FLUID2ONNX_PYTHON");
  std::string python = named && *named ? named : "python3";
  std::string dash_c = "-c", launcher = kLauncher;
  std::vector<char*> arguments{python.data(), dash_c.data(), launcher.data()};
  for (int i = 2; i < argc; ++i) arguments.push_back(argv[i]);
  arguments.push_back(nullptr);
  std::cout.flush();
  execvp(arguments[0], arguments.data());
  std::cerr << "fluid2onnx validate: error: cannot run '" << python << "', and comparing with Paddle needs Python\n"
            << "  hint: install Python 3, or name an interpreter in the environment variable FLUID2ONNX_PYTHON\n";
  return kUsage;
}

}  // namespace fluid2onnx::cli

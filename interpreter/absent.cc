// A stub for builds without the interpreter.
#include "interpreter/load.h"

namespace fluid2onnx {

namespace {

[[noreturn]] void absent() {
  throw Error(E_USAGE, "specs at run time are not available in this build")
      .hint("build fluid2onnx with yaml-cpp and FLUID2ONNX_RUN_TIME_SPECS");
}

}  // namespace

SpecError::SpecError(const Error& summary, const std::string&) : Error(summary) {}

std::shared_ptr<const AddedConverters> load_specs(const std::vector<std::string>&) { absent(); }
SpecCheck check_specs(const std::vector<std::string>&) { absent(); }
std::string spec_examples(const std::vector<std::string>&) { absent(); }
std::string functions_text(const std::string&) { absent(); }

}  // namespace fluid2onnx

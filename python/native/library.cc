#include "python/native/library.h"

#include <cstdlib>
#include <cstring>
#include <exception>

#include "interpreter/load.h"
#include "runtime/api/answer.h"
#include "runtime/cli/program.h"

int fluid2onnx_main(int argc, char** argv) { return fluid2onnx::cli::run_program(argc, argv); }

char* fluid2onnx_call(const char* command, const char* request) {
  try {
    return ::strdup(fluid2onnx::answer(command, request, {fluid2onnx::load_specs, {}}).c_str());
  } catch (const std::exception&) {
    return nullptr;
  }
}

void fluid2onnx_free(char* answer) { std::free(answer); }

// fluid2onnx, the program.
#include <cstdlib>

#include "runtime/cli/program.h"

int main(int argc, char** argv) {
  // Without destructors of global objects, which would only take time.
  std::_Exit(fluid2onnx::cli::run_program(argc, argv));
}

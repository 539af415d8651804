// fluid2onnx, the program.
#include <cstdlib>

#include "runtime/cli/program.h"

int main(int argc, char** argv) {
  // Nothing is gained by taking apart what the program leaves.
  std::_Exit(fluid2onnx::cli::run_program(argc, argv));
}

// program_copy MODEL COPY: COPY.pdmodel and COPY.pdiparams are what Paddle's program MODEL is.
#include <iostream>

#include "runtime/support/error.h"
#include "tests/runtime/paddle/write/copy.h"

int main(int argc, char** argv) {
  using namespace fluid2onnx;
  if (argc != 3) {
    std::cerr << "program_copy MODEL COPY\n";
    return 2;
  }
  try {
    const Program program = open_model(argv[1]);
    write_program(program, test::weights_of(program), std::string(argv[2]) + ".pdmodel",
                  std::string(argv[2]) + ".pdiparams");
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}

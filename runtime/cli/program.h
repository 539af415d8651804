#pragma once

namespace fluid2onnx::cli {

/// The whole program: runs the command that the arguments name. Gives the exit code.
int run_program(int argc, char** argv);

}  // namespace fluid2onnx::cli

// What the shared library of the Python package offers: plain C, so that nothing else of it need be visible.
#pragma once

extern "C" {

/// The program `fluid2onnx`; gives its exit code.
int fluid2onnx_main(int argc, char** argv);

/// Runs "convert", "inspect" or "operators". `request` and what is returned are JSON: the request's members are the
/// options (see library.cc), the answer is what the program prints with --json, where something failed with two members
/// more: "text", for people, and "exit_status", which the program would have. Prints nothing.
/// The answer is freed by fluid2onnx_free; null if there is no memory for it.
char* fluid2onnx_call(const char* command, const char* request);
void fluid2onnx_free(char* answer);
}

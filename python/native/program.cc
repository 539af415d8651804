// The program fluid2onnx as it is in the wheel: what it does is in the library that the Python module uses, too.
#include <cstdlib>

#include "python/native/library.h"

int main(int argc, char** argv) { std::_Exit(fluid2onnx_main(argc, argv)); }

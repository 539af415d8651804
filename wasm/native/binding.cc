// What the WebAssembly module offers: plain C. Files are those of Emscripten's file system.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/api/answer.h"

/// Of progress.js.
extern "C" void fluid2onnx_progress(const char* what, double done, double total);

extern "C" {

/// Runs "convert", "inspect" or "operators"; see answer(). The answer is freed by fluid2onnx_free; null if there is no
/// memory for it.
char* fluid2onnx_call(const char* command, const char* request) {
  try {
    // Emscripten's mmap() copies files, too, but less.
    ::setenv("FLUID2ONNX_PORTABLE", "1", 1);
    const auto progress = [](const char* what, uint64_t done, uint64_t total) {
      fluid2onnx_progress(what, static_cast<double>(done), static_cast<double>(total));
    };
    return ::strdup(fluid2onnx::answer(command, request, {{}, progress}).c_str());
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void fluid2onnx_free(char* answer) { std::free(answer); }
}

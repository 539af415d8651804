// The Python module fluid2onnx._native: calls into the shared library beside it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <new>
#include <string>

#include "python/native/library.h"

NB_MODULE(_native, module) {
  module.doc() = "The converter, in this process. The package fluid2onnx has its functions with types.";
  module.def(
      "call",
      [](const std::string& command, const std::string& request) {
        const std::unique_ptr<char, decltype(&fluid2onnx_free)> answer(
            fluid2onnx_call(command.c_str(), request.c_str()), fluid2onnx_free);
        if (!answer) throw std::bad_alloc();
        return std::string(answer.get());
      },
      nanobind::arg("command"), nanobind::arg("request"), nanobind::call_guard<nanobind::gil_scoped_release>(),
      "Runs a command; request and answer are JSON.");
}

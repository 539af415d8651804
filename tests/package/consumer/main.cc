// Converts argv[1] to argv[2], as the guide shows it.
#include <iostream>

#include "runtime/api/convert_file.h"
#include "runtime/convert/op_context.h"

int main(int, char** argv) {
  fluid2onnx::ConvertOptions options;
  options.opset = 13;
  const fluid2onnx::Report report = fluid2onnx::convert_file(argv[1], argv[2], options);
  for (const fluid2onnx::Problem& problem : report.problems) std::cerr << problem.message << "\n";
  if (fluid2onnx::find_converter("relu") == nullptr) return 1;
  return report.problems.empty() ? 0 : 1;
}

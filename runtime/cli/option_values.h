// The values of options that CLI11 reads as text, and what they mean together.
#pragma once

#include <string>
#include <vector>

#include "runtime/cli/arguments.h"

namespace fluid2onnx::cli {

struct OptionValues {
  std::vector<std::string> shapes, renames;
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> custom_ops;
  std::string weights = "auto";
  bool fp16 = false, bf16 = false;
  std::vector<std::string> float32_ops, half_ops;
  std::string target;
  bool opset_given = false;
};

/// Sets `arguments`, in which CLI11 has set all other options and the command. Throws E_USAGE for options that cannot
/// be combined.
void interpret(OptionValues values, Arguments* arguments);

}  // namespace fluid2onnx::cli

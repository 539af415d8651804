// Converters that the program was not built with: specs that are given at run time.
#pragma once

#include <climits>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/convert/op_context.h"

namespace fluid2onnx {

/// The signature of an operator in its spec.
struct CustomSignature {
  std::string place;  ///< "my.yaml:3"
  std::vector<std::string> inputs, outputs, attrs;
  std::vector<std::string> wanted;   ///< attributes that the recipe reads and that have no default
  std::vector<std::string> ignored;  ///< attributes that Paddle gives to operators for itself
};

struct AddedConverter {
  /// An exception has the lines of specs that led to it: "my.yaml:12, my.yaml:3", outermost first.
  std::function<void(OpContext&, std::string* lines)> convert;
  std::string spec;                          ///< its file
  std::vector<std::string> required;         ///< input slots that must hold a tensor: see required.h
  std::vector<std::string> complex;          ///< input slots whose operands may be complex: see complex.h
  std::optional<CustomSignature> signature;  ///< nothing: Paddle's tables have the operator
};

/// A converter of one of ONNX's operators to Paddle, as OnnxConverter.
struct AddedOnnxConverter {
  std::function<void(OpContext&, std::string* lines)> convert;  ///< as AddedConverter::convert
  std::string spec;
  int first = 1, last = INT_MAX;  ///< opsets
  std::string inputs, outputs, older;
};

/// By operator type. They come before the built-in ones.
struct AddedConverters {
  std::map<std::string, AddedConverter, std::less<>> paddle;
  std::multimap<std::string, AddedOnnxConverter, std::less<>> onnx;  ///< "Softmax": a row for each meaning
};

}  // namespace fluid2onnx

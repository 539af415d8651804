// The parameters of a program that entered the graph.
#pragma once

#include <map>
#include <string>

#include "runtime/onnx/graph/graph.h"
#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

class GraphParameters {
 public:
  explicit GraphParameters(Model& model) : model_(model) {}

  /// The parameter's value, which enters the current graph at its first use.
  Value enter(const Parameter& parameter);

 private:
  struct Entered {
    Value value;
    std::string name;
  };

  Model& model_;
  int64_t read_ = 0;
  std::map<std::string, Entered, std::less<>> entered_;
};

}  // namespace fluid2onnx

// Adds the parameters of a program to the graph.
#pragma once

#include <map>
#include <string>

#include "runtime/onnx/graph/graph.h"
#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

class GraphParameters {
 public:
  explicit GraphParameters(Model& model) : model_(model) {}

  /// The parameter's value. The first call adds it to the current graph.
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

// A deferred operator: it is converted when its results are read. An example is conditional_block.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "runtime/paddle/program/needed_ops.h"
#include "runtime/to_onnx/scope.h"

namespace fluid2onnx {

struct Deferred {
  const NeededOp* op = nullptr;
  Scope scope;                             ///< the variables that the operator may read, as they were at its position
  Scope* home = nullptr;                   ///< receives its results
  std::function<void(Deferred&)> convert;  ///< binds its results
  /// For select_input: the results of this operator and its opposite, by the mask and the two variables.
  std::map<std::tuple<int32_t, std::string, std::string>, ValueWithLod> joined;
};

}  // namespace fluid2onnx

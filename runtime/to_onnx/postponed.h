// An operator that is converted when an operator reads its results: conditional_block, for example.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "runtime/paddle/program/needed_ops.h"
#include "runtime/to_onnx/scope.h"

namespace fluid2onnx {

struct Postponed {
  const NeededOp* op = nullptr;
  Scope scope;                              ///< the variables that the operator may read, as they were in its place
  Scope* home = nullptr;                    ///< where its results go
  std::function<void(Postponed&)> convert;  ///< gives its results values
  /// For select_input: what it made of this operator and its opposite, by the mask and the two variables.
  std::map<std::tuple<int32_t, std::string, std::string>, Held> joined;
};

}  // namespace fluid2onnx

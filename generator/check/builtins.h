// The built-in functions of the language: names, signatures, one sentence each.
#pragma once

#include <string>
#include <vector>

#include "generator/expr/types.h"

namespace opgen {

struct Builtin {
  const char* name;
  const char* signature;  ///< for messages and the reference page
  const char* doc;
  int least;  ///< number of arguments
  int most;   ///< -1: any
};

const std::vector<Builtin>& builtins();
const Builtin* find_builtin(const std::string& name);

/// Constants by name: dtypes, pi, inf, opset. Type base unknown if there is none.
Type builtin_constant(const std::string& name);
std::vector<std::string> builtin_constant_names();

/// The ONNX operator that "+", "-", "*", "/" or "**" between tensors is; nullptr for other operators.
const char* operator_node(const std::string& op);

}  // namespace opgen

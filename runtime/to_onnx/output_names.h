// Which variables are outputs of the ONNX model, and under which names.
#pragma once

#include <map>
#include <set>
#include <string>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

class OutputNames {
 public:
  /// The value that the main block writes last to the variable gets this name.
  void add(const std::string& variable, const std::string& name);
  /// Finds the operators that write the variables. To be called once, with all of them added.
  void find_writers(const Program& program);

  bool is_output(const std::string& variable) const { return names_.count(variable) != 0; }
  /// The name of a variable's value after an operator; "" if the value cannot have the variable's name.
  std::string name_after(const Op& op, const std::string& variable) const;
  /// The operator of the main block that writes an output last; null if none does.
  const Op* last_writer(const std::string& variable) const;

 private:
  std::map<std::string, std::string> names_;  // by variable
  std::set<std::string> taken_;
  std::map<std::string, const Op*> last_writer_;
};

}  // namespace fluid2onnx

#include "runtime/to_onnx/output_names.h"

#include "runtime/paddle/program/uses.h"

namespace fluid2onnx {

void OutputNames::add(const std::string& variable, const std::string& name) {
  names_[variable] = name;
  taken_.insert(name);
}

void OutputNames::find_writers(const Program& program) {
  for (const Op& op : program.main().ops) {
    for_each_written(program, op, [&](const std::string& name) {
      if (is_output(name)) last_writer_[name] = &op;
    });
  }
}

std::string OutputNames::name_after(const Op& op, const std::string& variable) const {
  const auto own = names_.find(variable);
  if (own == names_.end()) return taken_.count(variable) ? "" : variable;
  // Earlier values of the variable must not take the name.
  return last_writer(variable) == &op ? own->second : "";
}

const Op* OutputNames::last_writer(const std::string& variable) const {
  const auto found = last_writer_.find(variable);
  return found == last_writer_.end() ? nullptr : found->second;
}

}  // namespace fluid2onnx

// The program that is converted: borrowed, or owned and freed while it is converted.
#pragma once

#include <optional>

#include "runtime/paddle/program/program.h"
#include "runtime/support/value.h"

namespace fluid2onnx {

class ReleasableProgram {
 public:
  /// Borrowed: it outlives this object, and releasing does nothing.
  explicit ReleasableProgram(const Program& program) : borrowed_(&program) {}
  /// Owned.
  explicit ReleasableProgram(Program&& program) : owned_(std::move(program)) {}
  ReleasableProgram(const ReleasableProgram&) = delete;
  ReleasableProgram& operator=(const ReleasableProgram&) = delete;

  const Program& get() const { return owned_ ? *owned_ : *borrowed_; }
  bool owned() const { return owned_.has_value(); }

  /// Removes declarations of variables from the main block.
  void release_variables(const Strings& names);
  /// Removes slots and attributes of an operator of the main block. Its type and location are kept.
  void release_slots(const Op& op);
  /// Removes everything.
  void release_all();

 private:
  std::optional<Program> owned_;
  const Program* borrowed_ = nullptr;  // null if owned
};

}  // namespace fluid2onnx

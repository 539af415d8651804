// Bodies of operators and functions as C++ statements.
#pragma once

#include <string>

#include "generator/render/cpp_expression.h"

namespace opgen {

/// Indented lines of C++.
class Lines {
 public:
  void add(const std::string& line) { text_ += std::string(static_cast<size_t>(indent_) * 2, ' ') + line + "\n"; }
  void open(const std::string& line) {
    add(line);
    ++indent_;
  }
  void close(const std::string& line = "}") {
    --indent_;
    add(line);
  }
  void between(const std::string& line) {
    --indent_;
    add(line);
    ++indent_;
  }
  const std::string& text() const { return text_; }
  explicit Lines(int indent) : indent_(indent) {}

 private:
  std::string text_;
  int indent_;
};

/// The body of `void convert_x(OpContext& op)`.
std::string render_converter(const CheckedOp& op, CppExpressions& expressions);
/// `Value name(OpContext& op, ...)` without its semicolon.
std::string function_signature(const CheckedFunction& f);
std::string render_function_body(const CheckedFunction& f, CppExpressions& expressions);

}  // namespace opgen

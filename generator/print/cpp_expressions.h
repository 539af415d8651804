// Lowered expressions as C++.
#pragma once

#include <functional>

#include "generator/lower/names.h"
#include "generator/print/cpp_text.h"
#include "generator/print/page.h"

namespace opgen::cpp {

/// How tightly the outermost operator of a piece binds.
enum Binding : uint8_t { kLoose, kChoice, kOr, kAnd, kEqual, kOrdered, kSum, kProduct, kPrefix, kTight };

class Expressions {
 public:
  using ExprPtr = lowered::ExprPtr;
  /// `block` prints the statements of a lambda.
  Expressions(lowered::Names& names, std::function<std::vector<Piece>(const lowered::Block&)> block)
      : names_(names), block_(std::move(block)) {}

  /// `typed`: C++ knows the expected type here and converts implicitly.
  Piece print(const ExprPtr& e, Binding around = kLoose, bool typed = false);
  Piece commas(const std::string& open, const std::vector<ExprPtr>& items, const std::string& close, bool typed = true);
  /// Texts that are joined by +.
  Piece message(const std::vector<ExprPtr>& parts);
  /// As a C++ condition: a tensor converts to bool, true if present.
  Piece condition(const ExprPtr& e, Binding around = kLoose);

 private:
  Piece operation(const lowered::Expr& e, Binding around, bool typed);
  Piece pattern(const std::string& text, const lowered::Expr& e, Binding around);
  Piece argument(const lowered::Expr& e, size_t i, Binding around);
  Piece infix(const lowered::Expr& e, const std::string& op, Binding around);
  Piece logic(const lowered::Expr& e, Binding around);
  Piece choice(const lowered::Expr& e, Binding around);
  Piece fluid(const lowered::Expr& e);
  Piece slot(const ExprPtr& operands);
  Piece node(const lowered::Expr& e);
  Piece call(const lowered::Expr& e);
  Piece each(const lowered::Expr& e);
  Piece lambda(const lowered::Expr& e, const lowered::Block& body, const ExprPtr& value);

  lowered::Names& names_;
  std::function<std::vector<Piece>(const lowered::Block&)> block_;
};

}  // namespace opgen::cpp

// Visits the parts of lowered code.
#pragma once

#include <functional>

#include "generator/lower/form.h"

namespace opgen::lowered {

/// Calls `on_expr` for every expression, outer ones first, and `on_statement` for every statement before what is in it.
struct Visitor {
  std::function<void(Expr&)> on_expr;
  std::function<void(Statement&)> on_statement;
};

void walk(Expr& e, const Visitor& visitor);
void walk(Block& block, const Visitor& visitor);

/// As walk, for constant code.
void look(const Block& block, const std::function<void(const Expr&)>& on_expr,
          const std::function<void(const Statement&)>& on_statement = nullptr);

void look(const Expr& e, const std::function<void(const Expr&)>& on_expr);

/// The strongest effect of its expressions and statements.
Effect effect_of(Block& block);
/// Reads of attributes that are used once stand where they are used; of an operand, where it is used first of all.
void inline_reads(Routine& routine);
/// Counts reads and repeated assignments of variables, and drops what is defined but never read, again and again.
void prune(Routine& routine);

}  // namespace opgen::lowered

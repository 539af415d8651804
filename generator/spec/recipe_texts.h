// Visits the texts of parsed recipes: expressions, statements and messages.
#pragma once

#include <cstdint>

#include "generator/spec/spec.h"

namespace opgen {

enum class TextKind : uint8_t {
  expression,
  assignment,  ///< "targets = expression"
  iteration,   ///< "names in expression"
  message,     ///< can contain {expressions}
};

// Each calls visit(text, kind) for every text, also for empty ones. The texts are constant if the recipe is.

template <typename Requires, typename Visit>
void each_text_of_requires(Requires& list, const Visit& visit) {
  for (auto& require : list) {
    visit(require.that, TextKind::expression);
    visit(require.message, TextKind::message);
  }
}

template <typename List, typename Visit>
void each_text_of_statements(List& list, const Visit& visit) {
  for (auto& s : list) {
    visit(s.text, s.kind == Statement::Kind::assign ? TextKind::assignment
                  : s.kind == Statement::Kind::for_ ? TextKind::iteration
                                                    : TextKind::expression);
    visit(s.trips, TextKind::iteration);
    each_text_of_requires(s.require_list, visit);
    each_text_of_statements(s.body, visit);
    each_text_of_statements(s.otherwise, visit);
  }
}

/// All texts of an operator or function: `is`, `let`, `require` and statements, also those of its variants.
template <typename Recipe, typename Visit>
void each_text(Recipe& recipe, const Visit& visit) {
  const auto conditions = [&](auto& part) {
    for (auto& binding : part.let) visit(binding.value, TextKind::expression);
    each_text_of_requires(part.require, visit);
  };
  conditions(recipe);
  for (auto& variant : recipe.variants) {
    visit(variant.when, TextKind::expression);
    conditions(variant);
    each_text_of_statements(variant.nodes, visit);
  }
  if constexpr (requires { recipe.is; }) visit(recipe.is, TextKind::expression);
}

}  // namespace opgen

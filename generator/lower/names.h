// One name for each variable of a routine: what its author calls it, and a number where that is taken in sight.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "generator/lower/form.h"

namespace opgen::lowered {

class Names {
 public:
  /// No variable gets a name of `reserved`.
  explicit Names(std::set<std::string> reserved = {}) : reserved_(std::move(reserved)) { push(); }

  void push() { scopes_.emplace_back(); }
  void pop() { scopes_.pop_back(); }
  /// The variable's name from here to the end of the scope.
  const std::string& declare(const VariablePtr& variable);
  /// A name for something that is no variable.
  std::string fresh(const std::string& wish);
  const std::string& of(const VariablePtr& variable) const { return names_.at(variable.get()); }

 private:
  bool taken(const std::string& name) const;

  std::set<std::string> reserved_;
  std::vector<std::set<std::string>> scopes_;
  std::map<const Variable*, std::string> names_;
};

}  // namespace opgen::lowered

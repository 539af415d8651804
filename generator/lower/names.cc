#include "generator/lower/names.h"

#include <algorithm>
#include <cctype>

namespace opgen::lowered {

bool Names::taken(const std::string& name) const {
  return reserved_.count(name) > 0 ||
         std::any_of(scopes_.begin(), scopes_.end(), [&](const auto& scope) { return scope.count(name) > 0; });
}

std::string Names::fresh(const std::string& wish) {
  std::string base;
  for (const char c : wish) base += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (base.empty() || std::isdigit(static_cast<unsigned char>(base[0])) != 0) base = "v" + base;
  if (reserved_.count(base) > 0) base += "_";
  std::string name = base;
  for (int n = 2; taken(name); ++n) name = base + (base.back() == '_' ? "" : "_") + std::to_string(n);
  scopes_.back().insert(name);
  return name;
}

const std::string& Names::declare(const VariablePtr& variable) {
  return names_[variable.get()] = fresh(variable->name);
}

}  // namespace opgen::lowered

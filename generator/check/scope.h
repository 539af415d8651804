// Names in sight while a recipe is checked.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "generator/check/program.h"

namespace opgen {

struct Name {
  using Kind = NameKind;
  Kind kind = Kind::variable;
  Type type;
  bool* read = nullptr;  ///< set when an expression reads it
  bool assigned = true;  ///< outputs: false until a statement assigns them
};

/// Frames from the outermost to the innermost, and what conditions around have made known.
class Scope {
 public:
  Scope() { push(); }
  void push() { frames_.emplace_back(); }
  std::map<std::string, Name> pop() {
    auto frame = std::move(frames_.back());
    frames_.pop_back();
    return frame;
  }
  void define(const std::string& name, Name what) { frames_.back()[name] = what; }
  Name* find(const std::string& name) {
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
      const auto it = frame->find(name);
      if (it != frame->end()) return &it->second;
    }
    return nullptr;
  }
  /// Only the innermost frame.
  Name* find_here(const std::string& name) {
    const auto it = frames_.back().find(name);
    return it == frames_.back().end() ? nullptr : &it->second;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& frame : frames_)
      for (const auto& [name, what] : frame) list.push_back(name);
    return list;
  }

  std::set<std::string> known;  ///< sources of expressions inside known(...), "has(X)" for optional operands

 private:
  std::vector<std::map<std::string, Name>> frames_;
};

}  // namespace opgen

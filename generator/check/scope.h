// Names in scope while a recipe is checked.
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
  int version = 0;       ///< which of its values: another one after each assignment
  Span place = {};       ///< of the first assignment
  std::string within{};  ///< the enclosing statement: "the 'then' at line 28"; empty at the top of a recipe
};

/// Entry of Scope::known for a condition with errors: suppresses further reports.
inline constexpr const char* kBrokenCondition = "*";

/// Frames from the outermost to the innermost, and the facts that enclosing conditions establish.
class Scope {
 public:
  Scope() { push(); }
  void push() { frames_.emplace_back(); }
  std::map<std::string, Name> pop() {
    auto frame = std::move(frames_.back());
    frames_.pop_back();
    return frame;
  }
  void define(const std::string& name, Name what) {
    renew(what);
    frames_.back()[name] = what;
  }
  /// The name gets a new value: facts about the old one no longer hold.
  void renew(Name& name) { name.version = ++versions_; }
  /// The current version of each name, to restore it later.
  std::map<Name*, int> versions() {
    std::map<Name*, int> all;
    for (auto& frame : frames_)
      for (auto& [name, what] : frame) all[&what] = what.version;
    return all;
  }
  Name* find(const std::string& name) {
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
      const auto it = frame->find(name);
      if (it != frame->end()) return &it->second;
    }
    return nullptr;
  }
  /// Ends the innermost frame. Later look-ups of its names report where they were defined.
  std::map<std::string, Name> leave() {
    std::map<std::string, Name> frame = pop();
    for (const auto& [name, what] : frame)
      if (what.place.line > 0 && !what.within.empty()) lost[name] = what;
    return frame;
  }
  /// Only the innermost frame.
  Name* find_here(const std::string& name) {
    const auto it = frames_.back().find(name);
    return it == frames_.back().end() ? nullptr : &it->second;
  }
  /// Each once, also if an inner frame hides an outer one.
  std::vector<std::string> names() const {
    std::set<std::string> all;
    for (const auto& frame : frames_)
      for (const auto& [name, what] : frame) all.insert(name);
    return {all.begin(), all.end()};
  }

  /// Keys (ExpressionChecker::key) of expressions that are known while converting, "dim KEY" of tensors whose shape is,
  /// "has KEY" of operands that are there. kBrokenCondition: everything may be, a condition could not be read.
  std::set<std::string> known;
  /// Names that were assigned in one side of a choice, or in a repetition, and ended with it.
  std::map<std::string, Name> lost;

 private:
  int versions_ = 0;
  std::vector<std::map<std::string, Name>> frames_;
};

}  // namespace opgen

// Names that specs list, and whether a recipe reads them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generator/check/program.h"

namespace opgen {

class Uses {
 public:
  /// Where to note that the name at `span` is read. A wrong one is reported with `what` and `help`.
  bool* note(const Span& span, const std::string& what, const std::string& help) {
    Use& u = uses_[span.place()];
    u.span = span;
    u.what = what;
    u.help = help;
    recent_.push_back(&u);
    return &u.read;
  }
  /// Ends an operator or function. Its uses count only if it has no errors.
  void are_sound(bool sound) {
    for (Use* u : recent_) u->sound = u->sound && sound;
    recent_.clear();
  }
  void report(Diagnostics& diagnostics) const {
    for (const auto& [place, u] : uses_)
      if (u.sound && !u.read) diagnostics.error("unused-name", u.span, u.what + " is never used", u.help);
  }
  void unread(const std::vector<CheckedBinding>& list, const std::vector<Binding>& spec) {
    for (size_t i = 0; i < list.size() && i < spec.size(); ++i)
      if (list[i].read) *note(spec[i].name.span, "", "") = true;
      else note(spec[i].name.span, "'" + list[i].name + "'", "remove it");
  }
  void unread(const std::vector<CheckedVariant>& list) {
    for (const CheckedVariant& v : list)
      if (v.spec != nullptr) unread(v.let, v.spec->let);
  }

 private:
  /// The rows of a table share one: a name that one row does not read may be for the others.
  struct Use {
    Span span;
    std::string what;
    std::string help;
    bool read = false;
    bool sound = true;  ///< nothing was wrong around it
  };

  std::map<Place, Use> uses_;
  std::vector<Use*> recent_;  ///< of the operator or function in hand
};

}  // namespace opgen

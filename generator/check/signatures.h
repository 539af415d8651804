// What an operator's spec lists: operands, attributes and parameters, compared with the facts.
#pragma once

#include <string>
#include <vector>

#include "generator/check/scope.h"
#include "generator/check/uses.h"

namespace opgen {

void unknown_slot(const Text& t, const std::vector<SlotFact>& slots, const char* what, const std::string& op,
                  Diagnostics& diagnostics);

class SignatureChecker {
 public:
  SignatureChecker(const Facts& facts, Uses& uses, Diagnostics& diagnostics)
      : facts_(facts), uses_(uses), diagnostics_(diagnostics) {}

  /// Fills the lists of `c` and defines their names in `scope`. Each attribute and slot of the facts is to be used,
  /// refused or ignored.
  void check(const OpSpec& spec, CheckedOp& c, Scope& scope);

 private:
  struct Listed;

  bool* reader(const Listed& l, const Text& t, const char* kind);
  void inputs(Listed& l);
  void outputs(Listed& l);
  void attributes(Listed& l);
  void parameters(Listed& l);
  void layout(Listed& l);
  void ignored(Listed& l);
  void spare_consequences(Listed& l);
  void account_for_attributes(Listed& l);
  void account_for_slots(Listed& l);
  void account_for_tensors(Listed& l);
  void unknown_attr(const Text& t, const OpFact& fact, const std::string& op);

  const Facts& facts_;
  Uses& uses_;
  Diagnostics& diagnostics_;
};

}  // namespace opgen

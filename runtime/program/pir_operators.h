#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/program/attribute.h"

namespace fluid2onnx {

// What the operators of Paddle 3's IR (PIR) are in Fluid's terms. opgen renders the table from opspecs/facts.

struct PirOperand {
  std::string name;
  std::string slot;             // "" if Fluid has no slot for one tensor
  std::string attr;             // an attribute in Fluid; then the slots are for values known only at run time
  std::string list_slot;        // the slot for a tensor per value; "" if there is none
  std::string cast;             // to the dtype that this attribute of the PIR operator has; "" if as it is
  bool names_variable = false;  // the attribute itself may name variables
  bool is_text = false;         // the attribute is a string that spells a number
  bool ignored = false;         // not in Fluid, and inference does not need it
};

struct PirResult {
  std::string name;
  std::string slot;     // "" if Fluid has none
  std::string cast;     // the dtype that PIR has in place of Fluid's; "" if they agree
  int overwrites = -1;  // the operand that holds the result afterwards; -1: none
};

struct PirAttr {
  std::string name;
  std::string attr;      // "" if Fluid has none
  bool ignored = false;  // without counterpart and without meaning for inference
};

struct PirOperator {
  std::string fluid;  // the Fluid operator; if there is none, the operator's own name, or NAME_v3 if Fluid has another
  std::vector<PirOperand> operands;
  std::vector<PirResult> results;
  std::vector<PirAttr> attrs;
  std::vector<Attribute> fixed;  // attributes that the PIR operator's name implies
};

// The operators that were asked for: the table is text until then.
class PirOperators {
 public:
  // `name` is without "pd_op.". Null if PIR has no such operator.
  const PirOperator* find(std::string_view name);

 private:
  std::map<std::string, std::optional<PirOperator>, std::less<>> known_;
};

// The rendered table: an operator as JSON, "" if there is none.
std::string_view pir_operator_text(std::string_view name);

}  // namespace fluid2onnx

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace fluid2onnx {

// What the operators of Paddle 3's IR (PIR) are in Fluid's terms. opgen renders the table from opspecs/facts.

struct PirOperand {
  std::string_view name;
  std::string_view slot = {};       // "" if Fluid has no slot for one tensor
  std::string_view attr = {};       // an attribute in Fluid; then the slots are for values known only at run time
  std::string_view list_slot = {};  // the slot for a tensor per value; "" if there is none
  std::string_view cast = {};       // to the dtype that this attribute of the PIR operator has; "" if as it is
  bool names_variable = false;      // the attribute itself may name variables
  bool is_text = false;             // the attribute is a string that spells a number
  bool ignored = false;             // not in Fluid, and inference does not need it
  bool list = false;
  bool optional = false;
  std::string_view type = {};           // of what may be an attribute: "ints" or "scalar"
  std::string_view default_value = {};  // its default, as JSON; "" if there is none
};

struct PirResult {
  std::string_view name;
  std::string_view slot = {};  // "" if Fluid has none
  std::string_view cast = {};  // the dtype that PIR has in place of Fluid's; "" if they agree
  int overwrites = -1;         // the operand that holds the result afterwards; -1: none
  bool list = false;
  bool optional = false;
};

struct PirAttr {
  std::string_view name;
  std::string_view attr = {};           // "" if Fluid has none
  std::string_view type = {};           // the kind that files have: "i32", "f64[]", "dtype"
  std::string_view default_value = {};  // its default, as JSON; "" if there is none
  bool ignored = false;                 // without counterpart and without meaning for inference
};

// An attribute that the PIR operator's name implies.
struct PirFixedAttr {
  std::string_view attr;
  std::variant<bool, std::int64_t, double> value;
};

struct PirOperator {
  std::string_view name;   // without "pd_op."
  std::string_view fluid;  // the Fluid operator; if there is none, `name`, or NAME_v3 if Fluid has another of that name
  std::span<const PirOperand> operands;
  std::span<const PirResult> results;
  std::span<const PirAttr> attrs;
  std::span<const PirFixedAttr> fixed;
};

// All of them, by name.
std::span<const PirOperator> pir_operators();

// Null if PIR has no operator `name` (without "pd_op.").
const PirOperator* find_pir_operator(std::string_view name);

}  // namespace fluid2onnx

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace fluid2onnx {

// What the operators of Paddle 3's IR (PIR) are in Fluid's terms. opgen renders the table from opspecs/facts.

// The constructors are for the table, whose rows leave out what is usual.

enum PirFlag : unsigned { kList = 1, kOptional = 2, kIgnored = 4, kNamesVariable = 8, kIsText = 16 };

struct PirOperand {
  std::string_view name;
  std::string_view slot;  // "" if Fluid has no slot for one tensor
  bool list;
  bool optional;
  bool ignored;                    // not in Fluid, and inference does not need it
  bool names_variable;             // the attribute itself may name variables
  bool is_text;                    // the attribute is a string that spells a number
  std::string_view attr;           // an attribute in Fluid; then the slots are for values known only at run time
  std::string_view type;           // of what may be an attribute: "ints" or "scalar"
  std::string_view default_value;  // its default, as JSON; "" if there is none
  std::string_view list_slot;      // the slot for a tensor per value; "" if there is none
  std::string_view cast;           // to the dtype that this attribute of the PIR operator has; "" if as it is

  // Called the same in Fluid.
  constexpr PirOperand(std::string_view own) : PirOperand(own, own) {}  // NOLINT: rows of the table
  constexpr PirOperand(std::string_view own, std::string_view in_fluid, unsigned flags = 0,
                       std::string_view attribute = {}, std::string_view kind = {}, std::string_view usual = {},
                       std::string_view of_list = {}, std::string_view to = {})
      : name(own),
        slot(in_fluid),
        list((flags & kList) != 0),
        optional((flags & kOptional) != 0),
        ignored((flags & kIgnored) != 0),
        names_variable((flags & kNamesVariable) != 0),
        is_text((flags & kIsText) != 0),
        attr(attribute),
        type(kind),
        default_value(usual),
        list_slot(of_list),
        cast(to) {}
};

struct PirResult {
  std::string_view name;
  std::string_view slot;  // "" if Fluid has none
  int overwrites;         // the operand that holds the result afterwards; -1: none
  bool list;
  bool optional;
  std::string_view cast;  // the dtype that PIR has in place of Fluid's; "" if they agree

  constexpr PirResult(std::string_view own) : PirResult(own, own) {}  // NOLINT: likewise
  constexpr PirResult(std::string_view own, std::string_view in_fluid, int operand = -1, unsigned flags = 0,
                      std::string_view dtype = {})
      : name(own),
        slot(in_fluid),
        overwrites(operand),
        list((flags & kList) != 0),
        optional((flags & kOptional) != 0),
        cast(dtype) {}
};

struct PirAttr {
  std::string_view name;
  std::string_view type;           // the kind that files have: "i32", "f64[]", "dtype"
  std::string_view default_value;  // its default, as JSON; "" if there is none
  std::string_view attr;           // "" if Fluid has none
  bool ignored;                    // without counterpart and without meaning for inference

  // As Fluid's.
  constexpr PirAttr(std::string_view own, std::string_view kind, std::string_view usual = {})
      : PirAttr(own, kind, usual, own) {}
  constexpr PirAttr(std::string_view own, std::string_view kind, std::string_view usual, std::string_view in_fluid,
                    unsigned flags = 0)
      : name(own), type(kind), default_value(usual), attr(in_fluid), ignored((flags & kIgnored) != 0) {}
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

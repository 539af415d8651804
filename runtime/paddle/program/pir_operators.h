#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fluid2onnx {

// What the operators of Paddle 3's IR (PIR) are in Fluid's terms. opgen renders the table from opspecs/facts.

/// A row of the table. Its lists are words with spaces between them:
///
///   operands    NAME +LISTSLOT FLAGS @ATTR:KIND=DEFAULT !CAST     X  axis=AxesTensor+AxesTensorList@axes:ints=[]
///   results     NAME FLAGS >OPERAND !CAST                         Out>0
///   attributes  NAME:KIND=DEFAULT @ATTR ~                         keepdim:bool=false@keep_dim
///   fixed       ATTR=VALUE                                        value=1.0
///
/// NAME is the slot in Fluid if that is the operator's name for it but for capitals (MasterParam is master_param), else
/// what both call it, else PIR=FLUID, where Fluid may have none. FLAGS: * a list, ? optional, ~ ignored, $ names a
/// variable, # is text. Everything but the NAME is left out where it does not apply, "@" of attributes where the name
/// is the same. Defaults are JSON with ' for ".
struct PirRow {
  std::string_view name;   ///< without "pd_op."
  std::string_view fluid;  ///< the Fluid operator, "" if it is called the same
  std::string_view operands = {}, results = {}, attrs = {}, fixed = {};
};

/// The table, by name.
std::span<const PirRow> pir_rows();

struct PirOperand {
  std::string name;
  std::string slot;  ///< "" if Fluid has no slot for one tensor
  bool list = false;
  bool optional = false;
  bool ignored = false;         ///< not in Fluid, and inference does not need it
  bool names_variable = false;  ///< the attribute itself may name variables
  bool is_text = false;         ///< the attribute is a string that spells a number
  std::string attr;             ///< an attribute in Fluid; then the slots are for values known only at run time
  std::string type;             ///< of what may be an attribute: "ints" or "scalar"
  std::string default_value;    ///< its default, as JSON; "" if missing
  std::string list_slot;        ///< the slot for a tensor per value; "" if missing
  std::string cast;             ///< to the dtype that this attribute of the PIR operator has; "" if as it is
};

struct PirResult {
  std::string name;
  std::string slot;     ///< "" if Fluid has none
  int overwrites = -1;  ///< the operand that holds the result afterwards; -1: none
  bool list = false;
  bool optional = false;
  std::string cast;  ///< PIR's dtype where it differs from Fluid's; "" if they agree
};

struct PirAttr {
  std::string name;
  std::string type;           ///< the kind that files have: "i32", "f64[]", "dtype"
  std::string default_value;  ///< its default, as JSON; "" if missing
  std::string attr;           ///< "" if Fluid has none
  bool ignored = false;       ///< without counterpart and without meaning for inference
};

/// An attribute that the PIR operator's name implies.
struct PirFixedAttr {
  std::string attr;
  std::variant<bool, int64_t, double> value;
};

struct PirOperator {
  std::string_view name;   ///< without "pd_op."
  std::string_view fluid;  ///< the Fluid operator; if missing, `name`, or NAME_v3 if Fluid has another of that name
  std::vector<PirOperand> operands;
  std::vector<PirResult> results;
  std::vector<PirAttr> attrs;
  std::vector<PirFixedAttr> fixed;
};

/// Null if PIR has no operator `name` (without "pd_op."). Rows are taken apart when they are first asked for.
const PirOperator* find_pir_operator(std::string_view name);

}  // namespace fluid2onnx

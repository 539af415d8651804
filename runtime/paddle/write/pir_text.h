// Pieces of Paddle 3's program files (PIR JSON) as text: types and attributes. read/pir_types.h reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/paddle/program/attribute.h"
#include "runtime/paddle/program/pir_program.h"

namespace fluid2onnx {

/// A text in quotes.
std::string pir_quoted(std::string_view text);

/// {"#": "0.t_dtensor", "D": [...]}, or a list of such. A tensor of unknown dims is written as one of one open axis.
std::string pir_type_text(const PirType& type);

/// The value of "AT", as the kind of attribute that PirAttr::type names. Nothing if the value cannot be
/// read as that kind.
std::optional<std::string> pir_value_text(std::string_view kind, const AttributeValue& value);

/// An attribute that is a list of such values.
std::string pir_list_text(const std::vector<std::string>& items);

/// {"AT": VALUE, "N": NAME}
std::string pir_attr_text(std::string_view name, const std::string& value);

/// A default as the table has it; nothing for "".
std::optional<AttributeValue> pir_fallback(std::string_view json);

}  // namespace fluid2onnx

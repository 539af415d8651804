// Attributes of operators as people and programs are shown them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/paddle/program/attribute.h"

namespace fluid2onnx {

/// Numbers, strings and lists; "inf", "-inf" and "nan"; dtypes by name; complex numbers as [real, imaginary];
/// {"block": 2} or {"blocks": [...]}; {"variable": "x"} or {"variables": [...]}. Lists of over 1,000 elements are
/// {"elements": count}.
nlohmann::json attribute_json(const Attribute& attribute);

/// "axis=1": of a list the first elements, as in "shape=[1, 2, ... of 400]", of a very long one their number.
std::string attribute_text(const Attribute& attribute);

}  // namespace fluid2onnx

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "runtime/paddle/program/pir_program.h"

namespace fluid2onnx {

/// An error in PIR JSON, without the location.
struct PirProblem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The member of an object. PirProblem if missing, or `json` is no object.
const nlohmann::json& pir_member(const nlohmann::json& json, const char* key);
/// The elements of an array. PirProblem if it is none; `what` names it.
const nlohmann::json& pir_array(const nlohmann::json& json, const char* what);
int64_t pir_int(const nlohmann::json& json);
std::string pir_string(const nlohmann::json& json);

/// "0.t_dtensor" is "builtin.t_dtensor": dialects have numbers in files.
std::string pir_full_name(const std::string& name);

/// {"#": "0.t_dtensor", "D": ["0.t_f32", dims, ...]} ...
PirType read_pir_type(const nlohmann::json& json);

/// {"#": "0.a_i32", "D": 1} ... Nothing for kinds that mean nothing to inference (places, types), or are unknown.
std::optional<AttributeValue> read_pir_attribute(const nlohmann::json& json);
/// True for a kind that means nothing to inference.
bool is_absent_pir_attribute(const nlohmann::json& json);

}  // namespace fluid2onnx

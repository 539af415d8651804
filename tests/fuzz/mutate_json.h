// Changes of JSON that keep it JSON: the fuzzer reaches what a valid file of Paddle 3 leads to.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

#include "tests/fuzz/random_values.h"

namespace fluid2onnx::fuzz {

/// The members of an object keep their order.
using Json = nlohmann::ordered_json;

/// Omits values that are nested too deeply. Returns a discarded value (`is_discarded()`) if the text is not JSON.
Json parse_json(std::string_view text);

/// In UTF-8; bytes that are not UTF-8 are replaced.
std::string json_text(const Json& tree);

/// Makes one to four changes in the tree. A value gets another value, or one that the same key has elsewhere. Elements
/// and members are added, repeated, moved and removed. Of a large tree, only the first 20,000 values change.
void mutate(Json* tree, Random& random);

/// Copies a value of `from` to a place in `to` that has the same key: operators, attributes, types.
void cross(const Json& from, Json* to, Random& random);

}  // namespace fluid2onnx::fuzz

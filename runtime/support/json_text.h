// JSON as text. Bytes that are not UTF-8 become U+FFFD, while nlohmann's own dump() throws.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fluid2onnx {

/// Indented; ends with a newline.
std::string json_text(const nlohmann::json& json);
/// On one line, without a newline.
std::string json_line(const nlohmann::json& json);

}  // namespace fluid2onnx

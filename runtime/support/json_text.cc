#include "runtime/support/json_text.h"

#include <nlohmann/json.hpp>

namespace fluid2onnx {

using nlohmann::json;

std::string json_text(const json& value) { return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n"; }
std::string json_line(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace fluid2onnx

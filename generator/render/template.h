// Mustache templates, strictly: a hole that nothing fills is an error.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace opgen {

/// Renders `directory`/`name`. Throws std::runtime_error with the template's name.
std::string render_template(const std::string& directory, const std::string& name, const nlohmann::json& data);

}  // namespace opgen

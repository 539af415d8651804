#include "generator/render/template.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <kainjow/mustache.hpp>

namespace opgen {
namespace {

using kainjow::mustache::data;

data convert(const nlohmann::json& value) {
  if (value.is_array()) {
    data list(data::type::list);
    for (const auto& item : value) list.push_back(convert(item));
    return list;
  }
  if (value.is_object()) {
    data object(data::type::object);
    for (const auto& [key, item] : value.items()) object.set(key, convert(item));
    return object;
  }
  if (value.is_boolean()) return value.get<bool>() ? data(data::type::bool_true) : data(data::type::bool_false);
  return data(value.is_string() ? value.get<std::string>() : value.dump());
}

/// Every {{hole}} must be a key somewhere in the data.
void check_holes(const std::string& name, const std::string& text, const nlohmann::json& value) {
  const std::string all = value.dump();
  for (size_t at = text.find("{{"); at != std::string::npos; at = text.find("{{", at + 2)) {
    const size_t close = text.find("}}", at);
    if (close == std::string::npos) break;
    std::string hole = text.substr(at + 2, close - at - 2);
    if (hole.empty() || hole[0] == '!' || hole[0] == '/') continue;
    // A section without items shows nothing of its inside.
    if (hole[0] == '#' && value.contains(hole.substr(1)) && value[hole.substr(1)].empty()) {
      const size_t end = text.find("{{/" + hole.substr(1) + "}}", close);
      if (end != std::string::npos) at = end;
      continue;
    }
    if (hole[0] == '#' || hole[0] == '^' || hole[0] == '{' || hole[0] == '&') hole.erase(0, 1);
    if (hole != "." && all.find("\"" + hole + "\":") == std::string::npos)
      throw std::runtime_error("template '" + name + "': nothing fills '{{" + hole + "}}'");
  }
}

/// What a text needs to stand in a template of this kind: between the quotes of C++, in HTML, in a table of Markdown.
/// {{{hole}}} takes it as it is.
std::string escaped(const std::string& text, const std::string& extension) {
  std::string out;
  for (const char c : text) {
    if (extension == ".cc" && (c == '"' || c == '\\')) out += '\\';
    if (extension == ".md" && c == '|') out += '\\';
    if (extension == ".cc" && c == '\n') out += "\\n";
    else if (extension == ".md" && c == '\n') out += ' ';
    else if (extension == ".html" && c == '<') out += "&lt;";
    else if (extension == ".html" && c == '>') out += "&gt;";
    else if (extension == ".html" && c == '&') out += "&amp;";
    else if (extension == ".html" && c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

}  // namespace

std::string render_template(const std::string& directory, const std::string& name, const nlohmann::json& values) {
  std::ifstream in(directory + "/" + name);
  if (!in) throw std::runtime_error("cannot read template '" + directory + "/" + name + "'");
  std::stringstream text;
  text << in.rdbuf();
  kainjow::mustache::mustache mustache(text.str());
  if (!mustache.is_valid()) throw std::runtime_error("template '" + name + "': " + mustache.error_message());
  check_holes(name, text.str(), values);
  const std::string extension = std::filesystem::path(name).stem().extension().string();  // unit.cc.mustache: .cc
  mustache.set_custom_escape([&](const std::string& s) { return escaped(s, extension); });
  data all = convert(values);
  return mustache.render(all);
}

}  // namespace opgen

// Diagnostics for programs: plain JSON and SARIF.
#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include "generator/diagnostics/diagnostics.h"
#include "generator/diagnostics/source.h"

namespace opgen {
namespace {

using Json = nlohmann::ordered_json;

/// A message may quote half of a character.
std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json place(const Span& span) {
  return {{"file", span.file ? span.file->path : ""},
          {"line", span.line},
          {"column", span.column},
          {"length", span.length}};
}

/// SARIF counts characters where we count bytes.
int characters(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Json sarif_location(const Span& span) {
  Json physical = {{"artifactLocation", {{"uri", span.file ? span.file->path : ""}}}};
  if (span.file && span.line > 0) {
    const std::string_view line = line_of(*span.file, span.line);
    const size_t from = std::min(static_cast<size_t>(span.column - 1), line.size());
    const int column = 1 + characters(line.substr(0, from));
    const int width = std::max(1, characters(line.substr(from, static_cast<size_t>(span.length))));
    physical["region"] = {{"startLine", span.line}, {"startColumn", column}, {"endColumn", column + width}};
  }
  return {{"physicalLocation", physical}};
}

}  // namespace

std::string format_json(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    Json entry = place(diagnostic.span);
    entry["severity"] = severity_name(diagnostic.severity);
    entry["code"] = diagnostic.code;
    entry["message"] = diagnostic.message;
    entry["help"] = diagnostic.help;
    entry["notes"] = Json::array();
    for (const auto& [span, message] : diagnostic.notes) {
      Json note = place(span);
      note["message"] = message;
      entry["notes"].push_back(note);
    }
    list.push_back(entry);
  }
  return text_of(list);
}

std::string format_sarif(const Diagnostics& diagnostics) {
  Json results = Json::array();
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    const std::string help = diagnostic.help.empty() ? "" : "; " + diagnostic.help;
    Json result = {{"ruleId", diagnostic.code},
                   {"level", severity_name(diagnostic.severity)},
                   {"message", {{"text", diagnostic.message + help}}},
                   {"locations", Json::array({sarif_location(diagnostic.span)})}};
    for (const auto& [span, message] : diagnostic.notes) {
      Json location = sarif_location(span);
      location["message"] = {{"text", message}};
      result["relatedLocations"].push_back(location);
    }
    results.push_back(result);
  }
  const Json run = {
      {"tool", {{"driver", {{"name", "opgen"}}}}}, {"columnKind", "unicodeCodePoints"}, {"results", results}};
  const Json log = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return text_of(log);
}

}  // namespace opgen

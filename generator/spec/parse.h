// From a located tree to what spec.h describes.
#pragma once

#include <vector>

#include "generator/spec/spec.h"
#include "generator/spec/values.h"
#include "generator/spec/yaml_node.h"

namespace opgen {

/// The spec files below a folder, sorted; the one file if it is one.
std::vector<std::string> spec_files(const std::string& root, Diagnostics& diagnostics);

/// A whole file: operators and functions are added to `specs`.
void parse_file(const YamlNode& root, SpecSet& specs, Diagnostics& diagnostics);

// The parts, one source file each.
void parse_operator(const YamlNode& node, std::vector<OpSpec>& ops, Diagnostics& diagnostics);
void parse_function(const YamlNode& node, std::vector<Function>& functions, Diagnostics& diagnostics);
void parse_requirement(const YamlNode& node, std::vector<Requirement>& requirements, Diagnostics& diagnostics);
std::vector<Variant> parse_variants(const YamlNode& node, Diagnostics& diagnostics);
std::vector<Require> parse_requires(const YamlNode& node, Diagnostics& diagnostics);
/// The condition under this key, and the message if it does not hold.
Require parse_require(const Mapping& mapping, const char* condition, Diagnostics& diagnostics);
Statements parse_statements(const YamlNode& node, Diagnostics& diagnostics);
Signature parse_signature(const YamlNode& node, Diagnostics& diagnostics);
/// One line, capital first letter, no full stop: it becomes a cell of the support matrix. `written`: before ${columns}
/// were replaced.
void check_doc(const Text& doc, const Text& written, Diagnostics& diagnostics);

}  // namespace opgen

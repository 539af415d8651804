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
/// A function, or without results a requirement.
void parse_function(const YamlNode& node, SpecSet& specs, Diagnostics& diagnostics);
/// The recipe under `variants`, or the only variant under `nodes`; null: the spec has no such key.
std::vector<Variant> parse_variants(const YamlNode::Entry* variants, const YamlNode::Entry* nodes,
                                    Diagnostics& diagnostics);
std::vector<Require> parse_requires(const YamlNode& node, Diagnostics& diagnostics);
Statements parse_statements(const YamlNode& node, Diagnostics& diagnostics);
/// The value of `lod:`, as one statement for each output.
Statements parse_lod(const YamlNode& outputs, Diagnostics& diagnostics);
/// Names and their types, such as `example`.
std::vector<Declared> parse_declared(const YamlNode& node, const std::string& example, Diagnostics& diagnostics);
/// One line, capital first letter, no full stop: it becomes a cell of the support matrix. `written`: before ${columns}
/// were replaced.
void check_doc(const Text& doc, const Text& written, Diagnostics& diagnostics);

}  // namespace opgen

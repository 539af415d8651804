// The compiler as a library: specs of a repository to lowered form.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "generator/check/program.h"
#include "generator/lower/lower.h"
#include "generator/spec/targets.h"

namespace opgen {

/// The results of the stages. Each refers to earlier ones, so a Compiled stays at its address.
struct Compiled {
  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  SpecSet specs;
  Facts facts;
  OnnxModel onnx;
  std::vector<TargetFile> targets;
  CheckedProgram program;
};

/// Reads, parses and checks the files below `root`/opspecs. `diagnostics` has the errors and warnings, sorted.
void compile(const std::string& root, Diagnostics& diagnostics, Compiled* out);
/// Gives the files of opspecs/facts and opspecs/lib by their paths below opspecs, for use without a repository.
using Knowledge = std::function<Source(const std::string& path)>;

/// Compiles the specs of files and folders outside of a repository. They can call the functions of the library
/// (`library`: paths for `knowledge`), and override them by name. Paths in messages are relative to the current folder.
void compile_alone(const std::vector<std::string>& paths, const Knowledge& knowledge,
                   const std::vector<std::string>& library, Diagnostics& diagnostics, Compiled* out);
/// The examples of all specs, in the JSON format of the conformance tests.
nlohmann::json examples_json(const Compiled& compiled);
/// Requires a result of compile without errors.
lowered::Program lower(const Compiled& compiled);

}  // namespace opgen

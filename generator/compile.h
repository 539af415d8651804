// The compiler as a library: specs of a repository to lowered form.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "generator/check/program.h"
#include "generator/lower/lower.h"
#include "generator/spec/targets.h"

namespace opgen {

/// What the stages made. Each refers to those before it, so it stays where it is.
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

/// Reads, parses and checks what lies below `root`/opspecs. What is wrong with it is in `diagnostics`, sorted.
void compile(const std::string& root, Diagnostics& diagnostics, Compiled* out);
/// What the compiler knows without a repository: the files of opspecs/facts and opspecs/lib, by their paths below
/// opspecs.
using Knowledge = std::function<Source(const std::string& path)>;

/// The same of specs that stand alone, in files and folders: functions of the library (`library`: paths for
/// `knowledge`) come along unless the specs have their own of that name. Paths in messages are relative to the current
/// folder.
void compile_alone(const std::vector<std::string>& paths, const Knowledge& knowledge,
                   const std::vector<std::string>& library, Diagnostics& diagnostics, Compiled* out);
/// Lowers what compile made without errors.
lowered::Program lower(const Compiled& compiled);

}  // namespace opgen

#pragma once

#include <map>
#include <string>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// A parameter that the program declares. dims may hold -1 (unknown).
struct ExpectedParameter {
  Dtype dtype = Dtype::undefined;
  std::optional<Shape> dims;
};

/// Sorted by name bytewise, which is the order of a combined file.
using ExpectedParameters = std::map<std::string, ExpectedParameter, std::less<>>;

/// What a ProgramDesc's parameter files hold: every persistable tensor of all blocks, once per name.
/// Error E_UNSUPPORTED for persistable variables that are no dense tensors (vocabularies ...).
ExpectedParameters expected_parameters(const Program& program);

/// Both fill program.parameters, and check the dims of each tensor against `expected`, the number of tensors, and that
/// the file ends after the last one. Element types and dims of 1 may differ: the file wins, with a warning.
/// Errors: E_NOT_FOUND, E_NOT_A_FILE, E_IO, E_TRUNCATED, E_BAD_PARAMS, E_PARAM_MISMATCH.
void load_combined(Program& program, const ExpectedParameters& expected, const std::string& path);
void load_separate(Program& program, const ExpectedParameters& expected, const std::string& folder);

/// The file of one parameter in a folder. Error E_BAD_PROGRAM for names that would lead out of the
/// folder ("../x", "/x") or are no file name at all.
std::string separate_path(const std::string& folder, const std::string& name);

}  // namespace fluid2onnx

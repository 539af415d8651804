// What the fuzzers run. Each target takes bytes; it returns, or throws Finding for what must not happen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "runtime/paddle/program/program.h"
#include "runtime/support/error.h"
#include "runtime/support/problem.h"

namespace fluid2onnx::fuzz {

using Bytes = std::span<const uint8_t>;

struct Finding : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How the inputs of a target are changed.
enum class Form : uint8_t {
  bytes,    ///< by libFuzzer
  program,  ///< options, then a ProgramDesc, which is changed field by field
  model,    ///< options, then a ModelProto
  json,     ///< options, then JSON, which is changed value by value
};

struct Target {
  const char* name;
  void (*run)(Bytes input);
  Form form = Form::bytes;
};

std::span<const Target> paddle_targets();
std::span<const Target> onnx_targets();
std::span<const Target> conversion_targets();

/// The bytes before a program or model that choose options.
inline constexpr size_t kOptionBytes = 2;

/// Writes a file of this process's own folder, below TMPDIR; returns its path.
std::string write_file(std::string_view name, Bytes content);
std::string folder();

/// The folder that converted ONNX models are kept in; empty: none are. tests/fuzz/load.py loads them in ONNX Runtime.
std::string& kept_models();

/// Calls f(), which may throw an Error, but not one of our own faults.
void guarded(const std::function<void()>& f);
void check_problem(const Problem& problem);

/// What every Program promises, and its descriptions for people.
void walk(const Program& program);

}  // namespace fluid2onnx::fuzz

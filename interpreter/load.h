// Specs that are given when a model is converted: read, checked and lowered as opgen does it, and interpreted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/convert/added_converters.h"
#include "runtime/support/error.h"

namespace fluid2onnx {

/// E_USAGE: what() shows each mistake at its place, as opgen does.
class SpecError : public Error {
 public:
  SpecError(const Error& summary, const std::string& diagnostics);
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// The converters of all specs in files and folders; functions of the library come along. Throws SpecError.
std::shared_ptr<const AddedConverters> load_specs(const std::vector<std::string>& paths);

/// What `fluid2onnx spec check` tells.
struct SpecCheck {
  bool ok = false;
  size_t operators = 0, functions = 0, examples = 0;
  std::string text, json;  ///< mistakes and warnings; "" and "[]" if there are none
};
SpecCheck check_specs(const std::vector<std::string>& paths);

/// Their examples as the conformance runner takes them (JSON). Throws SpecError.
std::string spec_examples(const std::vector<std::string>& paths);

/// What recipes can call: of each function a line with its head, one with what it does; only those that speak of
/// `word`.
std::string functions_text(const std::string& word);

}  // namespace fluid2onnx

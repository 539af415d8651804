// Specs at run time (--spec): reads, checks and lowers them with opgen's library, and interprets them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/convert/added_converters.h"
#include "runtime/support/error.h"

namespace fluid2onnx {

/// Errors in specs, with the code E_USAGE. what() has opgen's diagnostics.
class SpecError : public Error {
 public:
  SpecError(const Error& summary, const std::string& diagnostics);
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// The converters of all specs in files and folders, with the library functions that they call. Throws SpecError.
std::shared_ptr<const AddedConverters> load_specs(const std::vector<std::string>& paths);

/// The result of `fluid2onnx spec check`.
struct SpecCheck {
  bool ok = false;
  size_t operators = 0, functions = 0, examples = 0;
  std::string text, json;  ///< errors and warnings; "" and "[]" if all specs are correct
};
SpecCheck check_specs(const std::vector<std::string>& paths);

/// The examples of specs, in the JSON format of the conformance tests. Throws SpecError.
std::string spec_examples(const std::vector<std::string>& paths);

/// The functions that recipes can call, as signature and description. Only those that contain `word`.
std::string functions_text(const std::string& word);

}  // namespace fluid2onnx

// Conversions in both directions: the kind of the file that is read decides.
#pragma once

#include <string>

#include "runtime/api/convert_file.h"

namespace fluid2onnx {

/// True for an ONNX model: by its content, and by the name `x.onnx` if the content does not decide.
bool is_onnx_file(const std::string& path);

/// default_output(), or default_program().
std::string default_result(const std::string& model);

/// Options that do not apply to the model's direction.
enum class InapplicableOptions {
  refused,
  ignored,  ///< they were given for many models, of both kinds
};

/// convert_file(), or convert_onnx_file(). Errors: theirs; E_USAGE for the name of a file of the other kind.
Report convert_either(const std::string& model, const std::string& output, const ConvertOptions& options = {},
                      const FileOptions& files = {}, InapplicableOptions inapplicable = InapplicableOptions::refused);

}  // namespace fluid2onnx

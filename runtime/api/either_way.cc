#include "runtime/api/either_way.h"

#include <filesystem>

#include "runtime/api/convert_onnx.h"
#include "runtime/paddle/read/sniff.h"
#include "runtime/support/error.h"
#include "runtime/to_paddle/conversion.h"

namespace fluid2onnx {
bool is_onnx_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return false;
  const FileKind kind = sniff_file(path);
  if (kind == FileKind::onnx) return true;
  const bool of_paddle = kind == FileKind::program_desc || kind == FileKind::pir_json;
  return !of_paddle && path.ends_with(".onnx");
}

std::string default_result(const std::string& model) {
  return is_onnx_file(model) ? default_program(model) : default_output(model);
}

Report convert_either(const std::string& model, const std::string& output, const ConvertOptions& options,
                      const FileOptions& files, InapplicableOptions inapplicable) {
  if (is_onnx_file(model)) {
    if (inapplicable == InapplicableOptions::refused) return convert_onnx_file(model, output, options, files);
    ConvertOptions applicable = options;
    FileOptions applicable_files = files;
    reset_inapplicable(&applicable, &applicable_files, /*refuse=*/false);
    return convert_onnx_file(model, output, applicable, applicable_files);
  }
  for (const char* name : {".pdmodel", ".pdiparams", ".json"}) {
    if (!output.ends_with(name)) continue;
    throw Error(E_USAGE, "a Paddle program is converted to an ONNX model, but '" + output + "' has another extension")
        .hint("use a name that ends with .onnx");
  }
  return convert_file(model, output, options, files);
}

}  // namespace fluid2onnx

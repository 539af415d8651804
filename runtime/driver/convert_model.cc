#include "runtime/driver/convert_model.h"

#include "runtime/driver/complex_parts.h"
#include "runtime/driver/conversion.h"
#include "runtime/driver/opset_search.h"
#include "runtime/driver/signature.h"
#include "runtime/graph/schema.h"
#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

constexpr int kFirstOpsetWithBfloat16 = 13;

ConvertResult convert_real(const Program& program, const ConvertOptions& options) {
  if (options.opset < kOldestOpset || options.opset > newest_opset()) {
    throw Error(E_USAGE, "opset " + std::to_string(options.opset) + " is not among " + std::to_string(kOldestOpset) +
                             " to " + std::to_string(newest_opset()))
        .at("--opset");
  }
  if (options.precision.to == Dtype::bfloat16 && options.opset < kFirstOpsetWithBfloat16) {
    throw Error(E_USAGE, "bfloat16 needs opset " + std::to_string(kFirstOpsetWithBfloat16)).at("--bf16");
  }
  const Signature signature = plan_signature(program, options);
  Conversion conversion(program, options, signature, options.opset);
  const bool done = conversion.run();

  ConvertResult result;
  result.report.model = program.model_path;
  result.report.params = program.params_path;
  result.report.paddle = program.version ? program.version_text() : "";
  conversion.fill(&result.report);
  auto& warnings = result.report.warnings;
  warnings.insert(warnings.begin(), program.warnings.begin(), program.warnings.end());
  warnings.insert(warnings.end(), signature.warnings.begin(), signature.warnings.end());
  result.report.ok = done;
  if (done) {
    result.model = conversion.take_model();
  } else if (options.find_lowest_opset) {
    find_lowest_opsets(program, options, signature, &result.report);
  }
  return result;
}

}  // namespace

ConvertResult convert_model(const Program& program, const ConvertOptions& options) {
  for (const auto* names : {&options.precision.keep, &options.precision.lower}) {
    for (const std::string& name : *names) {
      if (name == "all" || find_schema(name, newest_opset()) || find_schema(name, options.opset)) continue;
      throw Error(E_USAGE, "ONNX has no operator '" + name + "' that could keep or change its precision")
          .hint("operators are spelt as in ONNX: Conv, Softmax");
    }
  }
  return has_complex(program) ? convert_real(with_parts(program), options) : convert_real(program, options);
}

}  // namespace fluid2onnx

#include "runtime/to_onnx/convert_model.h"

#include <optional>
#include <utility>

#include "runtime/onnx/graph/schema.h"
#include "runtime/onnx/write/model_proto.h"
#include "runtime/report/signature.h"
#include "runtime/support/error.h"
#include "runtime/support/refused.h"
#include "runtime/to_onnx/complex_parts.h"
#include "runtime/to_onnx/conversion.h"
#include "runtime/to_onnx/opset_search.h"
#include "runtime/to_onnx/releasable_program.h"

namespace fluid2onnx {
namespace {

constexpr int kFirstOpsetWithBfloat16 = 13;

/// Nothing if the file was removed meanwhile: problems are then reported without other opsets.
std::optional<Program> read_if_there(const std::function<Program()>& read) {
  try {
    return read();
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// `read_again` reads a program again that the conversion has released.
ConvertResult convert_real(ReleasableProgram held, const ConvertOptions& options,
                           const std::function<Program()>& read_again = {}) {
  const Program& program = held.get();
  if (options.opset < kOldestOpset || options.opset > newest_opset()) {
    throw Error(E_USAGE, "opset " + std::to_string(options.opset) + " is not among " + std::to_string(kOldestOpset) +
                             " to " + std::to_string(newest_opset()))
        .at("--opset");
  }
  const int oldest_ir = oldest_ir_version_for(options.opset), newest_ir = onnx::Version::IR_VERSION;
  if (options.ir_version && (options.ir_version < oldest_ir || options.ir_version > newest_ir)) {
    throw Error(E_USAGE, "opset " + std::to_string(options.opset) + " needs an IR version from " +
                             std::to_string(oldest_ir) + " to " + std::to_string(newest_ir) + ", not " +
                             std::to_string(options.ir_version))
        .at("--ir-version");
  }
  if (options.precision.to == Dtype::bfloat16 && options.opset < kFirstOpsetWithBfloat16) {
    throw Error(E_USAGE, needs_opset_text("bfloat16", kFirstOpsetWithBfloat16)).at("--bf16");
  }
  const Signature signature = plan_signature(program, options);
  ConvertResult result;
  result.report.model = program.model_path;
  result.report.params = program.params_path;
  result.report.paddle = program.version ? program.version_text() : "";
  const std::vector<std::string> known = program.warnings;

  Conversion conversion(held, options, signature, options.opset);
  const bool done = conversion.run();
  conversion.fill(&result.report);
  auto& warnings = result.report.warnings;
  warnings.insert(warnings.begin(), known.begin(), known.end());
  warnings.insert(warnings.end(), signature.warnings.begin(), signature.warnings.end());
  result.report.ok = done;
  if (done) {
    result.model = conversion.take_model();
  } else if (options.find_working_opset && may_convert_elsewhere(result.report)) {
    const std::optional<Program> reread = held.owned() ? read_if_there(read_again) : std::nullopt;
    if (reread || !held.owned()) find_working_opsets(reread ? *reread : program, options, signature, &result.report);
  }
  return result;
}

void check_precision(const ConvertOptions& options) {
  for (const auto* names : {&options.precision.keep, &options.precision.lower}) {
    for (const std::string& name : *names) {
      if (name == "all" || find_schema(name, newest_opset()) || find_schema(name, options.opset)) continue;
      throw Error(E_USAGE, "ONNX has no operator '" + name + "'").hint("use ONNX's names: Conv, Softmax");
    }
  }
}

}  // namespace

ConvertResult convert_model(const Program& program, const ConvertOptions& options) {
  check_precision(options);
  if (!has_complex(program)) return convert_real(ReleasableProgram(program), options);
  const Program parts = with_parts(program);
  return convert_real(ReleasableProgram(parts), options);
}

ConvertResult convert_model(Program&& program, const ConvertOptions& options,
                            const std::function<Program()>& read_again) {
  check_precision(options);
  if (!has_complex(program)) return convert_real(ReleasableProgram(std::move(program)), options, read_again);
  return convert_real(ReleasableProgram(with_parts(std::move(program))), options,
                      [&] { return with_parts(read_again()); });
}

}  // namespace fluid2onnx

#include "runtime/cli/option_values.h"

#include <utility>

#include "runtime/api/request.h"
#include "runtime/support/error.h"

namespace fluid2onnx::cli {
namespace {

/// Splits NAME=REST at the last '=', because names can contain '='.
std::pair<std::string, std::string> split(const std::string& text, const char* option, const char* form) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(E_USAGE, "'" + text + "' does not have the form " + form).at(option);
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// Moves --inputs FILE.npz to `recorded_inputs`: with --validate, --inputs names a file of arrays, not variables.
void interpret_validation(OptionValues* values, Arguments* a) {
  a->validate = a->validate || !a->expected.empty();
  a->shapes = values->shapes;
  if (!a->validate && !a->custom_op_libraries.empty()) {
    throw Error(E_USAGE, "needs --validate, which runs ONNX Runtime").at("--custom-op-library");
  }
  if (!a->validate) return;
  if (values->inputs.size() == 1 && values->inputs[0].ends_with(".npz")) {
    a->recorded_inputs = values->inputs[0];
    values->inputs.clear();
  }
  if (!values->inputs.empty()) {
    throw Error(E_USAGE, "must be a .npz file with --validate, because Paddle runs the whole model").at("--inputs");
  }
  if (a->options.precision.ports) {
    throw Error(E_USAGE, "cannot be combined with --validate: Paddle's inputs and outputs are not in half precision")
        .at("--half-io");
  }
  if (!a->expected.empty() && a->recorded_inputs.empty()) {
    throw Error(E_USAGE, "needs --inputs FILE.npz with the inputs of these outputs").at("--expected");
  }
}

/// Rejects options that apply to a single model if --recursive or --list converts many.
void check_many(const Arguments& a) {
  if (a.recursive && !a.list.empty()) throw Error(E_USAGE, "choose one of --recursive and --list").at("--list");
  if (a.model.empty() == a.list.empty()) {
    throw Error(E_USAGE, a.model.empty() ? "MODEL is required"
                                         : "cannot be combined with MODEL '" + a.model + "'; choose one of them")
        .at(a.model.empty() ? "" : "--list");
  }
  if (!a.recursive && a.list.empty()) {
    if (a.jobs) throw Error(E_USAGE, "needs --recursive or --list").at("--jobs");
    if (a.resume) throw Error(E_USAGE, "needs --recursive or --list").at("--resume");
    return;
  }
  if (!a.files.params.empty()) {
    throw Error(E_USAGE, "applies to one model; write it into the lines of --list").at("--params");
  }
  if (a.validate || a.structure) {
    throw Error(E_USAGE, "cannot be combined with --recursive or --list; convert each model alone")
        .at(a.validate ? "--validate" : "--structure");
  }
}

void interpret_precision(const OptionValues& values, Precision* precision) {
  if (values.fp16 && values.bf16) throw Error(E_USAGE, "choose one of --fp16 and --bf16").at("--bf16");
  if (values.fp16) precision->to = Dtype::float16;
  if (values.bf16) precision->to = Dtype::bfloat16;
  precision->keep.insert(values.float32_ops.begin(), values.float32_ops.end());
  precision->lower.insert(values.half_ops.begin(), values.half_ops.end());
  if (precision->to == Dtype::undefined &&
      (precision->ports || !precision->keep.empty() || !precision->lower.empty())) {
    throw Error(E_USAGE, "needs --fp16 or --bf16")
        .at(precision->ports          ? "--half-io"
            : precision->keep.empty() ? "--half-ops"
                                      : "--float32-ops");
  }
}

}  // namespace

void interpret(OptionValues values, Arguments* arguments) {
  interpret_validation(&values, arguments);
  if (arguments->command == Arguments::Command::convert) check_many(*arguments);
  if (!arguments->html.empty() && (arguments->json.wanted || arguments->list_ops)) {
    throw Error(E_USAGE, arguments->list_ops ? "choose one of --html and --ops" : "choose one of --html and --json")
        .at("--html");
  }
  ConvertOptions& options = arguments->options;
  for (const std::string& text : values.shapes) {
    const auto [name, dims] = split(text, "--input-shape", "NAME=DIMS, such as x=batch,3,224,224");
    try {
      options.input_shapes[name] = parse_input_shape(dims);
    } catch (Error& e) {
      throw Error(e.code(), e.message()).at("--input-shape");
    }
  }
  for (const std::string& text : values.renames) {
    const auto [from, to] = split(text, "--rename", "OLD=NEW");
    options.renames[from] = to;
  }
  for (const std::string& text : values.custom_ops) options.custom_ops.insert(parse_custom_op(text));
  interpret_precision(values, &options.precision);
  if (!values.target.empty()) choose_target(values.target, values.opset_given, &options);
  options.inputs = values.inputs;
  options.outputs = values.outputs;
  arguments->files.weights = parse_weights(values.weights, "--weights");
}

}  // namespace fluid2onnx::cli

#include "runtime/to_paddle/conversion.h"

#include <optional>

#include "runtime/convert/compute.h"
#include "runtime/paddle/read/sniff.h"
#include "runtime/support/error.h"
#include "runtime/to_paddle/input_output_options.h"
#include "runtime/to_paddle/inputs_and_outputs.h"
#include "runtime/to_paddle/operator_runner.h"
#include "runtime/to_paddle/prune.h"
#include "runtime/to_paddle/walk.h"

namespace fluid2onnx {
namespace {

/// Detects other files by their first bytes; open_onnx() reports the rest.
void refuse_other_files(const std::string& model) {
  const FileKind kind = sniff_file(model);
  switch (kind) {
    case FileKind::zip:
    case FileKind::gzip:
    case FileKind::tar:
    case FileKind::git_lfs_pointer:
    case FileKind::html:
    case FileKind::pickle:
    case FileKind::json:
      throw Error(E_NOT_A_MODEL, std::string("the file is ") + describe(kind) + "; expected an ONNX model")
          .at(model)
          .hint(kind == FileKind::json || kind == FileKind::pickle ? "give the .onnx file of the model" : advice(kind));
    default: break;
  }
}

Port port_of(const std::string& name, const Variable& variable, const OldNames& old) {
  Port port;
  port.name = name;
  const auto renamed = old.find(name);
  port.variable = renamed == old.end() ? name : renamed->second;
  port.dtype = variable.dtype;
  if (variable.dims) {
    port.dims.emplace();
    for (const int64_t size : *variable.dims) port.dims->push_back({size, ""});
  }
  return port;
}

/// Paddle's files name each input, and return something.
void check_ports(const OnnxFile& onnx) {
  const auto bad = [&](const std::string& message) {
    return Error(E_BAD_PROGRAM, message).at(onnx.path).hint("the model is invalid; export it again");
  };
  const auto& graph = onnx.model.graph();
  if (graph.output_size() == 0) throw bad("the model has no outputs");
  for (const auto& input : graph.input()) {
    if (input.name().empty()) throw bad("an input has no name");
  }
}

OnnxFile read(const std::string& model, const ConvertOptions& options, FileOptions files) {
  ConvertOptions applicable = options;
  reset_inapplicable(&applicable, &files, /*refuse=*/true);
  refuse_other_files(model);
  if (options.progress) options.progress("reading", 0, 0);
  OnnxFile onnx = open_onnx(model);
  apply_input_output_options(options, &onnx);
  check_ports(onnx);
  return onnx;
}

}  // namespace

void reset_inapplicable(ConvertOptions* options, FileOptions* files, bool refuse) {
  const ConvertOptions initial;
  const FileOptions initial_files;
  const auto reset = [refuse](auto& value, const auto& initial_value, const char* option, const char* hint) {
    if (value == initial_value) return;
    if (refuse) throw Error(E_USAGE, "does not apply to the conversion from ONNX to Paddle").at(option).hint(hint);
    value = initial_value;
  };
  reset(options->target, initial.target, "--target", "omit it: the result is a Paddle program");
  reset(options->opset, initial.opset, "--opset",
        "omit it: Paddle programs have no opset, and the ONNX file contains its opset");
  reset(options->ir_version, initial.ir_version, "--ir-version", "omit it: Paddle programs have no IR version");
  reset(files->params, initial_files.params, "--params",
        "omit it: the ONNX file names its data files, and the parameters are written beside the program");
  reset(files->weights, initial_files.weights, "--weights", "omit it: the parameters are written to OUTPUT.pdiparams");
  reset(options->precision.to, initial.precision.to, "--fp16 or --bf16",
        "use paddle.inference.convert_to_mixed_precision on the program");
  reset(options->fuse, initial.fuse, "--no-fuse", "omit it: only conversions to ONNX merge operators");
  reset(options->dim_prefix, initial.dim_prefix, "--dim-names", "omit it: dynamic dimensions are -1, without names");
  reset(options->lod, initial.lod, "--lod", "omit it: ONNX models have no LoD");
  if (options->specs && options->specs->onnx.empty()) {
    reset(options->specs, initial.specs, "--spec",
          "the specs are of Paddle's operators; those of ONNX's have names such as 'op: HardSwish'");
  }
  reset(options->custom_ops, initial.custom_ops, "--custom-op",
        "omit it: Paddle runs only its operators; 'fluid2onnx inspect' lists those that cannot be converted");
  reset(options->continue_on_error, initial.continue_on_error, "--continue-on-error",
        "use 'fluid2onnx inspect', which lists all operators that cannot be converted");
  reset(files->structure, initial_files.structure, "--structure",
        "use 'fluid2onnx inspect OUTPUT --ops', which lists the program's operators");
}

Port port_of(const onnx::ValueInfoProto& value) {
  Port port;
  port.name = port.variable = value.name();
  if (!value.type().has_tensor_type()) return port;
  const auto& tensor = value.type().tensor_type();
  port.dtype = static_cast<Dtype>(tensor.elem_type());
  if (!tensor.has_shape()) return port;
  port.dims.emplace();
  for (const auto& dim : tensor.shape().dim()) {
    port.dims->push_back(dim.has_dim_value() && dim.dim_value() >= 0 ? InputDim{dim.dim_value(), ""}
                                                                     : InputDim{-1, dim.dim_param()});
  }
  return port;
}

OnnxConversion::OnnxConversion(const std::string& model, const ConvertOptions& options, const FileOptions& files)
    : onnx(read(model, options, files)), options_(options) {
  report.to_paddle = true;
  report.model = model;
  report.opset = onnx.opset();
  report.ir_version = static_cast<int>(onnx.model.ir_version());
  report.warnings = onnx.warnings;
}

void OnnxConversion::run() {
  if (options_.progress) options_.progress("converting", 0, 0);
  if (!options_.input_shapes.empty()) builder_.refuse_misfits();
  restart_steps(onnx.file->size());
  emit();
  report.ok = report.problems.empty();
  if (report.ok) report_program();
}

void OnnxConversion::emit() {
  OnnxBinder binder(onnx, builder_);
  OnnxProblems problems;
  // Each calls the other.
  std::optional<OnnxWalk> walk;
  OnnxOperatorRunner runner(
      onnx, options_.specs.get(), builder_, binder, problems,
      [&](const onnx::GraphProto& graph, const Values& inputs) { return walk->run(graph, inputs); },
      [&](const onnx::FunctionProto& function, const onnx::NodeProto& call, const Values& inputs) {
        return walk->run(function, call, inputs);
      });
  walk.emplace(binder, problems, [&](const onnx::GraphProto& graph, const onnx::NodeProto& node, int index) {
    runner.convert(graph, node, index);
  });
  const onnx::GraphProto& graph = onnx.model.graph();
  const Values outputs = walk->run(graph, add_inputs(graph, builder_));
  if (problems.all().empty()) add_outputs(graph, outputs, builder_);
  report.operators = runner.counts();
  report.problems = problems.all();
  failing_ = problems.failing();
}

void OnnxConversion::report_program() {
  FluidModel& result = builder_.result();
  prune(&result);
  const OldNames old = old_names(options_);
  auto& variables = result.program.blocks.front().variables;
  for (const Input& input : result.program.inputs) {
    report.inputs.push_back(port_of(input.name, variables[input.name], old));
  }
  for (const Output& out : result.program.outputs) {
    report.outputs.push_back(port_of(out.name, variables[out.value], old));
  }
  for (const Block& block : result.program.blocks) {
    for (const Op& op : block.ops) ++report.nodes[op.type];
  }
  report.initializers = static_cast<int64_t>(result.weights.size());
  for (const auto& [name, tensor] : result.weights) report.weight_bytes += tensor.byte_size();
}

}  // namespace fluid2onnx

#include "runtime/to_onnx/conversion.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "runtime/convert/compute.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/precision.h"
#include "runtime/onnx/write/model_proto.h"
#include "runtime/support/error.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

onnx::TypeProto type_of(const Port& port) {
  onnx::TypeProto type = tensor_type(port.dtype, std::nullopt);
  if (!port.dims) return type;
  auto* shape = type.mutable_tensor_type()->mutable_shape();
  for (const InputDim& dim : *port.dims) {
    auto* proto = shape->add_dim();
    if (dim.size >= 0) {
      proto->set_dim_value(dim.size);
    } else if (!dim.name.empty()) {
      proto->set_dim_param(dim.name);
    }
  }
  return type;
}

std::optional<InputShape> dims_of(const Model& model, Value v) {
  const auto* shape = model.shape(v);
  if (!shape) return std::nullopt;
  InputShape dims;
  for (const auto& dim : shape->dim()) {
    dims.push_back({dim.has_dim_value() ? dim.dim_value() : -1, dim.has_dim_param() ? dim.dim_param() : ""});
  }
  return dims;
}

int64_t count_operators(const Program& program) {
  int64_t all = 0;
  for (const Block& block : program.blocks) all += static_cast<int64_t>(block.ops.size());
  return all;
}

/// Warnings for operators of --custom-op that the program does not have.
std::vector<std::string> unused_custom_ops(const Program& program, const ConvertOptions& options) {
  std::vector<std::string> warnings;
  if (options.custom_ops.empty()) return warnings;
  std::set<std::string> types;
  for (const Block& block : program.blocks) {
    for (const Op& op : block.ops) types.insert(op.type);
  }
  for (const auto& [type, op] : options.custom_ops) {
    if (types.contains(type)) continue;
    warnings.push_back("operator '" + type + "' of --custom-op " + op.domain + "::" + op.op +
                       " does not occur in this model" +
                       did_you_mean(type, std::vector<std::string>(types.begin(), types.end())));
  }
  return warnings;
}

/// "x.lengths"; of several levels "x.lengths_0" ..., outermost first.
std::string lengths_name(const std::string& name, size_t level, size_t levels) {
  return name + ".lengths" + (levels > 1 ? "_" + std::to_string(level) : "");
}

}  // namespace

Conversion::Conversion(ReleasableProgram& program, const ConvertOptions& options, const Signature& signature, int opset)
    : program_(program),
      operators_(count_operators(program.get())),
      options_(options),
      signature_(signature),
      lod_(options.lod),
      model_(std::make_unique<Model>(opset)),
      emitter_(*model_, /*lazy_weights=*/!options.weights_as_stored),
      binder_(program.get(), emitter_),
      problems_(program.get(), options.continue_on_error),
      runner_(program.get(), options, emitter_, binder_, output_names_, problems_,
              [this](int32_t block, Scope& scope, const NameSet& wanted) {
                walk_.run(block, scope, wanted, binder_.kept());
              }),
      walk_(
          program,
          [this](const std::vector<NeededOp>& ops, size_t position, Scope& scope) {
            return runner_.convert(ops, position, scope);
          },
          options.progress),
      named_dims_(signature.named_dims),
      warnings_(unused_custom_ops(program.get(), options)) {}

bool Conversion::run() {
  uint64_t weight_bytes = 0;
  for (const auto& [name, parameter] : program_.get().parameters) weight_bytes += parameter.data.length;
  restart_steps(weight_bytes);
  if (!emit()) return false;
  program_.release_all();
  const bool lower = options_.precision.to != Dtype::undefined;
  const Fusions all = options_.fuse ? Fusions::all : Fusions::none;
  // Half precision is for graphics processors, where the order of biases was not measured.
  const Fusions fusions = lower && options_.fuse ? Fusions::all_but_biases : all;
  run_passes(*model_, fusions);
  int computed = 0;
  if (may_compute_weights({"Add", "BatchNormalization", "Conv"})) computed += merge_branches(*model_);
  if (may_compute_weights({"BatchNormalization", "Gemm", "MatMul"})) computed += fuse_batch_norms_of_matrices(*model_);
  if (computed > 0) run_passes(*model_, fusions);
  drop_unused_lengths();
  if (lower) {
    for (std::string& line : lower_precision(*model_, options_.precision, options_.fuse))
      warnings_.push_back(std::move(line));
    run_passes(*model_, all);
  }
  done_ = true;
  return true;
}

bool Conversion::may_compute_weights(std::initializer_list<const char*> of) const {
  const auto keeps = [&](const char* op) { return options_.precision.keep.count(op) != 0; };
  return options_.fuse && !options_.weights_as_stored && std::none_of(of.begin(), of.end(), keeps);
}

bool Conversion::emit() {
  Scope scope;
  Values inputs;
  for (const Port& port : signature_.inputs) {
    inputs.push_back(model_->add_input(port.name, type_of(port)));
    if (port.cut) binder_.keep(port.variable);
  }
  // Lengths come behind the inputs of the program, which so keep their positions.
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = signature_.inputs[i];
    const Variable* declared = program_.get().main().find(port.variable);
    binder_.set_input(scope, port.variable, inputs[i], add_lod(i, declared ? declared->lod_level : 0));
  }
  NameSet wanted;
  for (const Port& port : signature_.outputs) {
    wanted.insert(port.variable);
    output_names_.add(port.variable, port.name);
  }
  check_inputs(wanted);
  output_names_.find_writers(program_.get());
  walk_.run_main(scope, wanted, binder_.kept());
  if (!problems_.all().empty()) return false;
  for (const Port& port : signature_.outputs) {
    try {
      add_output(scope, port);
    } catch (const Refused& reason) {
      problems_.refuse_output(port.variable, output_names_.last_writer(port.variable), reason);
    }
  }
  return problems_.all().empty();
}

/// With --inputs, all that the outputs depend on must be among them.
void Conversion::check_inputs(const NameSet& wanted) const {
  NameSet given, cut;
  for (const Port& port : signature_.inputs) {
    given.insert(port.variable);
    if (port.cut) cut.insert(port.variable);
  }
  const auto is_given = [&](const Input& input) { return given.count(input.name) != 0; };
  if (std::all_of(program_.get().inputs.begin(), program_.get().inputs.end(), is_given)) return;
  NameSet needed;
  needed_ops(program_.get(), 0, wanted, cut, &needed);
  for (const Input& input : program_.get().inputs) {
    if (is_given(input) || !needed.count(input.name)) continue;
    throw Error(E_USAGE, "the outputs still depend on input '" + input.name + "'")
        .at("--inputs")
        .hint("add it to --inputs, or cut the model elsewhere");
  }
}

Lod Conversion::add_lod(size_t input, int32_t levels) {
  const Port& port = signature_.inputs[input];
  if (levels <= 0) return {};
  Lod lod(static_cast<size_t>(levels));
  if (lod_ == LodMode::single) return lod;
  lod_ = LodMode::lengths;
  for (size_t level = 0; level < lod.size(); ++level) {
    Port lengths;
    lengths.name = lengths_name(port.name, level, lod.size());
    lengths.dtype = Dtype::int64;
    lengths.dims = InputShape(1);
    name_dims(options_, &lengths, &named_dims_);
    lod[level] = model_->add_input(lengths.name, type_of(lengths));
    lengths.name = (*model_)[lod[level]].name;
    lengths_.push_back(std::move(lengths));
    lengths_of_.push_back(input);
  }
  return lod;
}

void Conversion::drop_unused_lengths() {
  if (lengths_.empty()) return;
  const std::vector<int32_t> uses = model_->use_counts();
  Values& inputs = model_->main().inputs;
  for (size_t i = lengths_.size(); i-- > 0;) {
    const size_t at = signature_.inputs.size() + i;
    if (uses[static_cast<size_t>(inputs[at].id)] != 0) continue;
    inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(at));
    lengths_.erase(lengths_.begin() + static_cast<std::ptrdiff_t>(i));
    lengths_of_.erase(lengths_of_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// Outputs with the lengths of a result's sequences, where they are not those of an input.
void Conversion::add_lod_outputs(const Binding& binding, const Port& planned) {
  const Lod& lod = binding.lod;
  if (lod.empty() || lod_ == LodMode::single) return;
  if (lod_ == LodMode::automatic) {
    warnings_.push_back("output '" + planned.name +
                        "' contains sequences; use --lod lengths to add their lengths as an output");
    return;
  }
  const Values& inputs = model_->main().inputs;
  const auto of_inputs = inputs.begin() + static_cast<std::ptrdiff_t>(signature_.inputs.size());
  const size_t rows = outputs_.size() - 1;
  for (size_t level = 0; level < lod.size(); ++level) {
    if (!lod[level]) continue;
    if (std::find(of_inputs, inputs.end(), lod[level]) != inputs.end()) {
      outputs_[rows].lengths.push_back((*model_)[lod[level]].name);
      continue;
    }
    Port port;
    port.name = lengths_name(planned.name, level, lod.size());
    const Value v = emitter_.add_output(lod[level], port.name);
    port.name = (*model_)[v].name;
    port.dtype = Dtype::int64;
    port.dims = dims_of(*model_, v);
    fill_gaps({}, &port);
    model_->set_type(v, type_of(port));
    outputs_[rows].lengths.push_back(port.name);
    outputs_.push_back(std::move(port));
  }
}

void Conversion::add_output(Scope& scope, const Port& planned) {
  const Binding* binding = binder_.resolve(scope, planned.variable);
  if (!binding) throw Error(E_BAD_PROGRAM, "output '" + planned.name + "' has no producer");
  if ((*model_)[binding->value].type().has_sequence_type()) {
    throw Error(E_BAD_PROGRAM, "output '" + planned.name + "' is declared as a tensor, but is a tensor array");
  }
  const bool guessed = binder_.has_declared_rank(binding->value) || !model_->shape(binding->value);
  const Value v = emitter_.add_output(binding->value, planned.name);
  Port port = planned;
  port.name = (*model_)[v].name;
  port.dtype = model_->dtype(v);
  port.dims = dims_of(*model_, v);
  if (port.name != planned.name) {
    warnings_.push_back("output '" + planned.name + "' is renamed to '" + port.name +
                        "', because an input or a parameter has its name");
  }
  if (guessed) {
    unknown_ranks_.push_back(port.name);
    warnings_.push_back("the rank of output '" + port.name +
                        "' is known only when the model runs; ONNX wants one, so it is declared as in the program");
  }
  fill_gaps(planned, &port);
  model_->set_type(v, type_of(port));
  outputs_.push_back(std::move(port));
  add_lod_outputs(*binding, planned);
}

/// Completes inferred shapes: the rank comes from the program, and unknown sizes get names. See declared_sizes.h.
void Conversion::fill_gaps(const Port& hint, Port* port) {
  if (port->dims && hint.dims && hint.dims->size() != port->dims->size()) {
    warnings_.push_back("the program declares output '" + port->name + "' as " + port_text(hint) + ", but it is " +
                        port_text(*port));
  }
  if (!port->dims && hint.dims) port->dims = InputShape(hint.dims->size());
  name_dims(options_, port, &named_dims_);
}

void Conversion::fill(Report* report) const {
  report->opset = model_->opset();
  report->ir_version = options_.ir_version ? options_.ir_version : ir_version_for(model_->opset());
  report->inputs = signature_.inputs;
  for (size_t i = 0; i < lengths_.size(); ++i) report->inputs[lengths_of_[i]].lengths.push_back(lengths_[i].name);
  report->inputs.insert(report->inputs.end(), lengths_.begin(), lengths_.end());
  report->outputs = outputs_.empty() ? signature_.outputs : outputs_;
  const Graph& main = model_->main();
  for (size_t i = 0; done_ && i < report->inputs.size(); ++i) report->inputs[i].dtype = model_->dtype(main.inputs[i]);
  for (size_t i = 0; done_ && i < report->outputs.size(); ++i)
    report->outputs[i].dtype = model_->dtype(main.outputs[i]);
  report->operators = runner_.counts();
  report->problems = problems_.all();
  std::stable_sort(report->problems.begin(), report->problems.end(), [](const Problem& a, const Problem& b) {
    return std::tuple(a.behind, a.block, a.index) < std::tuple(b.behind, b.block, b.index);
  });
  report->casts = emitter_.legalised();
  report->custom_nodes = problems_.custom_nodes();
  report->warnings = warnings_;
  report->unknown_ranks = unknown_ranks_;
  report->skipped = std::max<int64_t>(0, operators_ - report->operator_count());
  if (report->problems.empty()) count_graph(0, report);
}

void Conversion::count_graph(GraphId id, Report* report) const {
  const Graph& graph = model_->graph(id);
  for (const NodeId n : graph.nodes) {
    const Node& node = model_->node(n);
    ++report->nodes[node.domain.empty() ? node.op_type : node.domain + "::" + node.op_type];
    for (const Body& body : node.bodies) count_graph(body.graph, report);
  }
  for (const Value v : graph.initializers) {
    report->weight_bytes += (*model_)[v].constant->byte_size();
    ++report->initializers;
  }
}

}  // namespace fluid2onnx

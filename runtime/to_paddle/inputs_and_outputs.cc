#include "runtime/to_paddle/inputs_and_outputs.h"

#include <algorithm>
#include <unordered_set>

#include "runtime/paddle/program/make_op.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {
namespace {

void check_port(const std::string& name) {
  if (std::find(std::begin(kPortVariables), std::end(kPortVariables), name) == std::end(kPortVariables)) return;
  Refused refused(E_UNSUPPORTED,
                  "'" + name + "' is the name of an input or output, and of a variable in every Paddle program");
  refused.hint("rename it: --rename " + name + "=NAME");
  throw refused;
}

/// Paddle has a dtype for strings, but no kernels.
void check_dtype(const std::string& port, Dtype dtype) {
  if (dtype_to_paddle(dtype) >= 0 && dtype != Dtype::string) return;
  Refused refused(E_DTYPE, port + " is " + std::string(dtype_name(dtype)) + ", which Paddle does not have");
  refused.hint("cut it off with --inputs or --outputs, or change its type in the model");
  throw refused;
}

/// True if operators of the main block compute the variable from inputs.
bool depends_on_inputs(const Program& program, const std::string& variable) {
  std::unordered_set<std::string> fed;
  for (const Input& input : program.inputs) fed.insert(input.name);
  const auto any_fed = [&](const Slot& slot) {
    return std::any_of(slot.args.begin(), slot.args.end(),
                       [&](const std::string& name) { return fed.count(name) != 0; });
  };
  for (const Op& op : program.main().ops) {
    if (!std::any_of(op.inputs.begin(), op.inputs.end(), any_fed)) continue;
    for (const Slot& slot : op.outputs) fed.insert(slot.args.begin(), slot.args.end());
  }
  return fed.count(variable) != 0;
}

/// The variable of an output: the value's own variable if it can have the name, else a copy.
std::string output_variable(const std::string& name, Value v, ProgramBuilder& builder) {
  const Program& program = builder.result().program;
  const std::string variable = builder.variable(v);
  const bool fed = std::any_of(program.inputs.begin(), program.inputs.end(),
                               [&](const Input& input) { return input.name == variable; });
  const bool twice = std::any_of(program.outputs.begin(), program.outputs.end(),
                                 [&](const Output& output) { return output.value == variable; });
  if (variable == name && !fed && !twice && !builder.result().weights.count(variable)) return variable;
  const std::string copy = builder.new_variable(name, v);
  builder.append(make_op("assign", {{"X", {variable}}}, {{"Out", {copy}}}));
  return copy;
}

}  // namespace

Values add_inputs(const onnx::GraphProto& graph, ProgramBuilder& builder) {
  Values values;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (!input.type().has_tensor_type()) {
      throw Refused(E_UNSUPPORTED, "input '" + input.name() + "' is not a tensor; Paddle programs take only tensors");
    }
    check_port(input.name());
    const Value v = builder.model().add_input(input.name(), input.type());
    check_dtype("input '" + input.name() + "'", builder.model().dtype(v));
    builder.declare(input.name(), v);
    builder.result().program.inputs.push_back({input.name()});
    builder.bind(input.name(), v);
    values.push_back(v);
  }
  return values;
}

void add_outputs(const onnx::GraphProto& graph, const Values& values, ProgramBuilder& builder) {
  Program& program = builder.result().program;
  for (int i = 0; i < graph.output_size(); ++i) {
    const std::string& name = graph.output(i).name();
    check_port(name);
    const Value v = values[static_cast<size_t>(i)];
    const Dtype dtype = builder.model().dtype(v);
    if (dtype != Dtype::undefined) check_dtype("output '" + name + "'", dtype);
    const std::string variable = output_variable(name, v, builder);
    program.outputs.push_back({variable, variable});
  }
  // Paddle's predictor folds outputs that do not depend on inputs, and fails if it folds all. It does not fold a
  // variable with two writes.
  if (program.outputs.size() == 1 && !depends_on_inputs(program, program.outputs.front().value)) {
    const std::string& only = program.outputs.front().value;
    builder.append(make_op("assign", {{"X", {only}}}, {{"Out", {only}}}));
  }
}

}  // namespace fluid2onnx

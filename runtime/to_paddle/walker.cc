#include "runtime/to_paddle/walker.h"

#include <algorithm>
#include <unordered_set>

#include "runtime/onnx/graph/opsets.h"
#include "runtime/onnx/graph/schema_registry.h"
#include "runtime/onnx/read/tensors.h"
#include "runtime/paddle/program/make_op.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {
namespace {

constexpr char kUnsupportedHint[] =
    "cut the model before it with --outputs; fluid2onnx's source takes specs of ONNX's operators, below opspecs/onnx";

/// What a node is called in messages and what its variables are named after.
std::string name_of(const onnx::NodeProto& node) {
  for (const std::string& output : node.output()) {
    if (!output.empty()) return output;
  }
  return node.name().empty() ? node.op_type() : node.name();
}

/// Operands and attributes that are not as the operator's schema wants them, which converters rely on. Schemas that are
/// not known, or deprecated, say nothing.
void verify(const onnx::NodeProto& node, int opset) {
  const onnx::OpSchema* schema = schema_registry().GetSchema(node.op_type(), opset, node.domain());
  if (!schema || schema->deprecated()) return;
  // What a list has no place for, which the schema does not look at.
  const auto& formal = schema->inputs();
  const bool list = !formal.empty() && formal.back().GetOption() == onnx::OpSchema::Variadic;
  for (int i = 0; list && i < node.input_size(); ++i) {
    if (static_cast<size_t>(i) + 1 >= formal.size() && node.input(i).empty()) {
      throw Error(E_BAD_PROGRAM, "operand " + std::to_string(i) + " is missing")
          .hint("the model is invalid; export it again");
    }
  }
  try {
    schema->Verify(node);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    std::string why = e.what();
    why.resize(std::min(why.find('\n'), why.size()));
    throw Error(E_BAD_PROGRAM, "the node does not match ONNX's schema: " + why)
        .hint("the model is invalid; export it again");
  }
}

void check_port(const std::string& name) {
  if (std::find(std::begin(kPortVariables), std::end(kPortVariables), name) == std::end(kPortVariables)) return;
  Refused refused(E_UNSUPPORTED,
                  "'" + name + "' is the name of an input or output, and of a variable in every Paddle program");
  refused.hint("rename it: --rename " + name + "=NAME");
  throw refused;
}

/// Of strings Paddle has a number for the dtype, and no kernels.
void check_dtype(const std::string& port, Dtype dtype) {
  if (dtype_to_paddle(dtype) >= 0 && dtype != Dtype::string) return;
  Refused refused(E_DTYPE, port + " is " + std::string(dtype_name(dtype)) + ", which Paddle does not have");
  refused.hint("cut it off with --inputs or --outputs, or change its type in the model");
  throw refused;
}

/// Whether operators of the main block make the variable of what the program is fed.
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

}  // namespace

OnnxWalker::OnnxWalker(OnnxFile& onnx, ProgramBuilder& builder) : onnx_(onnx), builder_(builder) {
  builder_.set_convert_node([this](const Node& node) { return convert_shadow(node); });
}

void OnnxWalker::run() {
  const onnx::GraphProto& graph = onnx_.model.graph();
  Program& program = builder_.result().program;
  Scope scope;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (!input.type().has_tensor_type()) {
      throw Refused(E_UNSUPPORTED, "input '" + input.name() + "' is not a tensor; Paddle programs take only tensors");
    }
    check_port(input.name());
    const Value v = builder_.model().add_input(input.name(), input.type());
    const Dtype dtype = builder_.model().dtype(v);
    check_dtype("input '" + input.name() + "'", dtype);
    builder_.declare(input.name(), v);
    program.inputs.push_back({input.name()});
    builder_.bind(input.name(), v);
    scope[input.name()] = v;
  }
  const Values outputs = run_nodes(graph, &scope, {});
  if (!problems_.empty()) return;
  for (int i = 0; i < graph.output_size(); ++i) {
    const std::string& name = graph.output(i).name();
    check_port(name);
    const Value v = outputs[static_cast<size_t>(i)];
    const Dtype dtype = builder_.model().dtype(v);
    if (dtype != Dtype::undefined) check_dtype("output '" + name + "'", dtype);
    std::string variable = builder_.variable(v);
    const bool fed = std::any_of(program.inputs.begin(), program.inputs.end(),
                                 [&](const Input& input) { return input.name == variable; });
    const bool twice = std::any_of(program.outputs.begin(), program.outputs.end(),
                                   [&](const Output& output) { return output.value == variable; });
    if (variable != name || fed || twice || builder_.result().weights.count(variable)) {
      const std::string copy = builder_.new_variable(name, v);
      builder_.append(make_op("assign", {{"X", {variable}}}, {{"Out", {copy}}}));
      variable = copy;
    }
    program.outputs.push_back({variable, variable});
  }
  // Predictors compute beforehand what does not depend on inputs, and fail where this is all that is fetched; but not
  // what is written twice.
  if (program.outputs.size() == 1 && !depends_on_inputs(program, program.outputs.front().value)) {
    const std::string& only = program.outputs.front().value;
    builder_.append(make_op("assign", {{"X", {only}}}, {{"Out", {only}}}));
  }
}

OnnxWalker::Place OnnxWalker::place() const {
  return {levels_.size(), opsets_.size(), builder_.depth(), builder_.model().current()};
}

void OnnxWalker::go_back_to(const Place& place) {
  levels_.resize(place.levels);
  opsets_.resize(place.opsets);
  builder_.leave_to(place.blocks);
  while (builder_.model().current() != place.graph) builder_.model().leave();
}

void OnnxWalker::forget_from(Value first) {
  for (Level& level : levels_) {
    std::erase_if(*level.scope, [&](const auto& entry) { return entry.second.id >= first.id; });
  }
  std::erase_if(tainted_, [&](int32_t id) { return id >= first.id; });
  std::erase_if(sequence_names_, [&](const auto& entry) { return entry.first >= first.id; });
}

void OnnxWalker::put(Scope* scope, const std::string& name, Value v) {
  (*scope)[name] = v;
  if (v && builder_.model()[v].type().has_sequence_type()) sequence_names_[v.id].emplace_back(levels_.size(), name);
}

Values OnnxWalker::run_graph(const onnx::GraphProto& graph, const Values& inputs) {
  Scope scope;
  return run_nodes(graph, &scope, inputs);
}

Values OnnxWalker::run_nodes(const onnx::GraphProto& graph, Scope* scope, const Values& inputs) {
  Level level{&graph, scope, {}, {}};
  for (const onnx::TensorProto& tensor : graph.initializer()) level.initializers[tensor.name()] = &tensor;
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer())
    level.sparse[tensor.values().name()] = &tensor;
  levels_.push_back(std::move(level));
  for (int i = 0; i < graph.input_size() && static_cast<size_t>(i) < inputs.size(); ++i) {
    put(scope, graph.input(i).name(), inputs[static_cast<size_t>(i)]);
  }
  for (int i = 0; i < graph.node_size(); ++i) {
    const size_t before = problems_.size();
    levels_.back().at = i;
    convert(graph, graph.node(i), i, scope);
    if (problems_.size() > before && levels_.size() == 1) failing_.push_back(i);
  }
  Values outputs;
  for (const onnx::ValueInfoProto& output : graph.output()) outputs.push_back(resolve(output.name()));
  levels_.pop_back();
  return outputs;
}

Value OnnxWalker::resolve(const std::string& name) {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    const auto found = level->scope->find(name);
    if (found != level->scope->end()) return found->second;
    const auto add = [&](Tensor tensor) {
      return level->scope->emplace(name, builder_.model().add_parameter(name, std::move(tensor))).first->second;
    };
    if (const auto tensor = level->initializers.find(name); tensor != level->initializers.end()) {
      return add(tensor_of(*tensor->second, onnx_));
    }
    if (const auto tensor = level->sparse.find(name); tensor != level->sparse.end()) {
      return add(tensor_of(*tensor->second, onnx_));
    }
  }
  throw Refused(E_NO_VALUE, "'" + name + "' is read before it has a value");
}

const TypesByName* OnnxWalker::types_of(const onnx::GraphProto& graph) {
  if (!types_) types_ = infer_types(onnx_);
  const auto found = types_->find(&graph);
  return found == types_->end() ? nullptr : &found->second;
}

void OnnxWalker::take_type(const onnx::GraphProto& graph, const std::string& name, Value v) {
  Model& model = builder_.model();
  if (model[v].type().has_sequence_type() || model.shape(v)) return;
  const TypesByName* types = types_of(graph);
  const auto known = types ? types->find(name) : TypesByName::const_iterator();
  if (!types || known == types->end()) return;
  if (known->second.has_tensor_type() || model.dtype(v) == Dtype::undefined) model.set_type(v, known->second);
  builder_.declare_shape(v);
}

void OnnxWalker::convert(const onnx::GraphProto& graph, const onnx::NodeProto& node, int index, Scope* scope) {
  ++operators_[node.op_type()];
  const auto wanted = [&](int i) { return !node.output(i).empty(); };
  bool tainted = false;
  const Place here = place();
  try {
    OnnxNode source;
    source.name = name_of(node);
    verify(node, opset_of(node.domain()));
    const std::string type = node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type();
    source.op = find_onnx_operator(type, opset_of(node.domain()));
    for (const std::string& name : node.input()) {
      const Value v = name.empty() ? Value() : resolve(name);
      tainted = tainted || (v && tainted_.count(v.id));
      source.inputs.push_back(v);
    }
    std::optional<Values> by_others;
    if (!source.op) by_others = run_function(node, source.inputs);
    if (!source.op && !by_others) {
      Refused refused(E_UNSUPPORTED_OP, "operator '" + type + "' is not supported");
      refused.hint(kUnsupportedHint);
      throw refused;
    }
    source.outputs.assign(node.output().begin(), node.output().end());
    for (const auto& attribute : node.attribute()) source.attributes.push_back(&attribute);
    const size_t first = builder_.op_count();
    const Values results = by_others ? *by_others : convert(source);
    std::vector<std::pair<Value, std::string>> names;
    for (int i = 0; i < node.output_size(); ++i) {
      if (!wanted(i)) continue;
      const Value v = static_cast<size_t>(i) < results.size() ? results[static_cast<size_t>(i)] : Value();
      if (!v) throw Refused(E_NO_OUTPUT, "the converter does not assign '" + node.output(i) + "'");
      take_type(graph, node.output(i), v);
      names.emplace_back(v, node.output(i));
      put(scope, node.output(i), v);
    }
    builder_.rename(names, first);
    return;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Refused& e) {
    if (!tainted) fail(node, index, e, e.lowest_opset());
  } catch (const Error& e) {
    if (!tainted) fail(node, index, e, 0);
  } catch (const std::exception& e) {
    if (!tainted) fail(node, index, Error(E_INTERNAL, e.what()), 0);
  }
  go_back_to(here);
  for (int i = 0; i < node.output_size(); ++i) {
    if (!wanted(i)) continue;
    const Value v = builder_.model().new_value(node.output(i));
    take_type(graph, node.output(i), v);
    builder_.bind(builder_.new_variable(node.output(i), v), v);
    tainted_.insert(v.id);
    (*scope)[node.output(i)] = v;
  }
}

Values OnnxWalker::convert(const OnnxNode& node) {
  const OnnxSource source(node, builder_.emitter(), [this](const onnx::TensorProto& t) { return tensor_of(t, onnx_); });
  FluidContext context(*this, builder_, source);
  node.op->converter->convert(context);
  Values results;
  for (const FluidSlot& slot : node.op->outputs) {
    const auto found = context.results().find(slot.name);
    if (found == context.results().end()) results.emplace_back();
    else results.insert(results.end(), found->second.begin(), found->second.end());
  }
  return results;
}

Values OnnxWalker::convert_shadow(const Node& node) {
  OnnxNode source;
  source.op = node.domain.empty() ? find_onnx_operator(node.op_type, builder_.model().opset()) : nullptr;
  if (!source.op) {
    throw Refused(E_UNSUPPORTED_OP, "operator '" + node.op_type + "' is not supported, but the conversion needs it");
  }
  source.inputs = node.inputs;
  for (const Value v : node.outputs) {
    source.outputs.push_back(v ? builder_.model()[v].name : "");
    if (v && source.name.empty()) source.name = builder_.model()[v].name;
  }
  for (const onnx::AttributeProto& attribute : node.attributes) source.attributes.push_back(&attribute);
  return convert(source);
}

void OnnxWalker::fail(const onnx::NodeProto& node, int index, const Error& error, int lowest_opset) {
  Problem problem;
  problem.code = error.code();
  problem.message = error.message();
  problem.hint = error.hint();
  problem.lowest_opset = lowest_opset;
  problem.block = static_cast<int32_t>(levels_.size()) - 1;
  problem.index = index;
  problem.op_type = node.op_type();
  problem.output = name_of(node);
  problem.source = node.name();
  problem.in_onnx = true;
  problems_.push_back(std::move(problem));
}

const onnx::GraphProto& FluidContext::graph(std::string_view name) {
  const onnx::AttributeProto* attribute = source_.attribute(name);
  if (!attribute || !attribute->has_g())
    refuse(E_BAD_PROGRAM, "graph '" + std::string(name) + "' of the operator is missing");
  return attribute->g();
}

FluidContext& fluid_context(OpContext& op) {
  auto* context = dynamic_cast<FluidContext*>(&op);
  if (!context) op.refuse(E_INTERNAL, "'" + op.op_type() + "' can only be converted to Paddle");
  return *context;
}

}  // namespace fluid2onnx

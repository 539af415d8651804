#include "runtime/to_paddle/operator_runner.h"

#include <algorithm>
#include <new>

#include "runtime/convert/compute.h"
#include "runtime/onnx/graph/node_inference.h"
#include "runtime/onnx/graph/opsets.h"
#include "runtime/onnx/graph/schema_registry.h"
#include "runtime/onnx/read/tensors.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {
namespace {

/// Checks operands and attributes against the operator's schema, on which converters rely. Unknown and deprecated
/// schemas are skipped.
void verify(const onnx::NodeProto& node, int opset) {
  const onnx::OpSchema* schema = schema_registry().GetSchema(node.op_type(), opset, node.domain());
  // Some exporters write operators of later opsets (LayerNormalization).
  if (!schema) schema = schema_registry().GetSchema(node.op_type(), newest_opset(), node.domain());
  if (!schema || schema->deprecated()) return;
  // The schema's check accepts absent operands in lists.
  const auto& formal = schema->inputs();
  const bool list = !formal.empty() && formal.back().GetOption() == onnx::OpSchema::Variadic;
  for (int i = 0; list && i < node.input_size(); ++i) {
    if (static_cast<size_t>(i) + 1 >= formal.size() && node.input(i).empty()) {
      throw Error(E_BAD_PROGRAM, "operand " + std::to_string(i) + " is missing")
          .hint("the model is invalid; export it again");
    }
  }
  for (int i = 0; node.op_type() == "Einsum" && i < node.attribute_size(); ++i) {
    const auto& attribute = node.attribute(i);
    if (attribute.name() == "equation" && !is_einsum_equation(attribute.s()))
      throw Error(E_BAD_PROGRAM, kEquationIsInvalid).hint("the model is invalid; export it again");
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

/// As specs name operators: "Conv", "com.microsoft.Gelu".
std::string full_type(const onnx::NodeProto& node) {
  return node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type();
}

bool may_have_function(const onnx::NodeProto& node, int opset) {
  const onnx::OpSchema* schema = schema_registry().GetSchema(node.op_type(), opset, node.domain());
  return schema && (schema->HasFunction() || schema->HasContextDependentFunction());
}

Refused unsupported(const std::string& type) {
  Refused refused(E_UNSUPPORTED_OP, "operator '" + type + "' is not supported");
  // Domains that specs at run time cannot name.
  if (type.starts_with("ai.onnx.ml.")) {
    refused.hint("Paddle has no operators of scikit-learn's models: run this part in ONNX Runtime");
    return refused;
  }
  if (type.starts_with("com.microsoft.nchwc.")) {
    refused.hint(
        "ONNX Runtime optimised this file for one processor: use the original file, or optimise it with "
        "ORT_ENABLE_EXTENDED instead of ORT_ENABLE_ALL");
    return refused;
  }
  refused.hint("pass a spec with --spec (see 'fluid2onnx spec --help'), or cut the model before it with --outputs");
  return refused;
}

}  // namespace

OnnxOperatorRunner::OnnxOperatorRunner(OnnxFile& onnx, const AddedConverters* specs, ProgramBuilder& builder,
                                       OnnxBinder& binder, OnnxProblems& problems, RunGraph run_graph,
                                       RunFunction run_function)
    : onnx_(onnx),
      added_(added_onnx_operators(specs)),
      builder_(builder),
      binder_(binder),
      problems_(problems),
      run_function_(std::move(run_function)),
      sequences_(binder, builder.model()),
      functions_(onnx.opsets),
      flow_{binder, sequences_, std::move(run_graph), [this](Value first) {
              builder_.forget_from(first);
              binder_.forget_from(first);
              problems_.forget_from(first);
            }} {
  builder_.set_convert_node([this](const Node& node) { return convert_shadow(node); });
}

OnnxOperatorRunner::Place OnnxOperatorRunner::place() const {
  return {binder_.depth(), functions_.depth(), builder_.depth(), builder_.model().current()};
}

void OnnxOperatorRunner::go_back_to(const Place& place) {
  binder_.leave_to(place.levels);
  functions_.close_to(place.functions);
  builder_.leave_to(place.blocks);
  while (builder_.model().current() != place.graph) builder_.model().leave();
}

void OnnxOperatorRunner::convert(const onnx::GraphProto& graph, const onnx::NodeProto& node, int index) {
  ++counts_[node.op_type()];
  bool tainted = false;
  std::string lines;
  const Place here = place();
  try {
    return run(graph, node, &tainted, &lines);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    if (!tainted) problems_.fail(node, index, binder_.depth() - 1, e, lines);
  }
  go_back_to(here);
  for (const Value v : binder_.bind_placeholders(graph, node)) problems_.taint(v);
}

void OnnxOperatorRunner::run(const onnx::GraphProto& graph, const onnx::NodeProto& node, bool* tainted,
                             std::string* lines) {
  OnnxNode source;
  source.name = name_of(node);
  const int opset = functions_.opset_of(node.domain());
  verify(node, opset);
  const std::string type = full_type(node);
  source.op = find_added(added_, type, opset);
  if (!source.op) source.op = find_onnx_operator(type, opset);
  for (const std::string& name : node.input()) {
    const Value v = name.empty() ? Value() : binder_.operand(name);
    *tainted = *tainted || problems_.is_tainted(v);
    source.inputs.push_back(v);
  }
  std::optional<Values> results;
  if (!source.op) {
    if (!may_have_function(node, opset)) *tainted = false;  // it fails for its own reason
    results = run_function(node, source.inputs);
    if (!results) throw unsupported(type);
  }
  source.outputs.assign(node.output().begin(), node.output().end());
  for (const auto& attribute : node.attribute()) source.attributes.push_back(&attribute);
  const size_t first_op = builder_.op_count();
  if (!results) results = run_converter(source, lines);
  bind_results(graph, node, *results, first_op);
  if (!*tainted) return;
  for (const Value v : *results) {
    if (v) problems_.taint(v);
  }
}

void OnnxOperatorRunner::bind_results(const onnx::GraphProto& graph, const onnx::NodeProto& node, const Values& results,
                                      size_t first_op) {
  std::vector<std::pair<Value, std::string>> names;
  for (int i = 0; i < node.output_size(); ++i) {
    const std::string& name = node.output(i);
    if (name.empty()) continue;
    const Value v = static_cast<size_t>(i) < results.size() ? results[static_cast<size_t>(i)] : Value();
    if (!v) throw Refused(E_NO_OUTPUT, "the converter does not assign '" + name + "'");
    binder_.take_declared_type(graph, name, v);
    names.emplace_back(v, name);
    binder_.bind(name, v);
  }
  builder_.rename(names, first_op);
}

Values OnnxOperatorRunner::run_converter(const OnnxNode& node, std::string* lines) {
  const NodeSlots slots(node, builder_.emitter(), [this](const onnx::TensorProto& t) { return tensor_of(t, onnx_); });
  FluidContext context(flow_, builder_, slots);
  allow_operator_steps();
  node.op->convert(context, lines);
  Values results;
  for (const FluidSlot& slot : node.op->outputs) {
    const auto found = context.results().find(slot.name);
    if (found == context.results().end()) results.emplace_back();
    else results.insert(results.end(), found->second.begin(), found->second.end());
  }
  return results;
}

std::optional<Values> OnnxOperatorRunner::run_function(const onnx::NodeProto& node, const Values& inputs) {
  std::vector<onnx::TypeProto> types;
  for (const Value v : inputs) types.push_back(v ? builder_.model()[v].type() : onnx::TypeProto());
  const onnx::FunctionProto* function = functions_.body_of(node, types);
  if (!function) return std::nullopt;
  const size_t problems = problems_.all().size();
  functions_.open(*function);
  const Values outputs = run_function_(*function, node, inputs);
  functions_.close();
  if (problems_.all().size() > problems) {
    // Reported for the operator in the file.
    const Problem first = problems_.take_from(problems);
    throw Refused(first.code,
                  "'" + first.op_type + "' in the function body of '" + node.op_type() + "': " + first.message);
  }
  return outputs;
}

Values OnnxOperatorRunner::convert_shadow(const Node& node) {
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
  return run_converter(source, nullptr);
}

}  // namespace fluid2onnx

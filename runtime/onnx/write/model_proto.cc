#include "runtime/onnx/write/model_proto.h"

#include <algorithm>
#include <set>

#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

constexpr int kFirstIrOfPureInitializers = 4;

// Opsets of the default domain by the IR version that came with them (VERSION_TABLE of onnx/helper.py). The newest
// have the newest IR version.
constexpr int kIr[][2] = {{8, 3},  {9, 4},   {10, 5},  {11, 6},  {14, 7}, {18, 8},
                          {20, 9}, {22, 10}, {23, 11}, {24, 12}, {27, 13}};

void inputs_and_outputs(const Model& model, GraphId id, onnx::GraphProto* proto) {
  for (const Value v : model.graph(id).inputs) value_proto(model, v, model[v].type(), proto->add_input());
  for (const Value v : model.graph(id).outputs) value_proto(model, v, model[v].type(), proto->add_output());
}

void add_domains(const Model& model, GraphId id, std::set<std::string>* domains) {
  for (const NodeId n : model.graph(id).nodes) {
    const Node& node = model.node(n);
    if (!node.domain.empty()) domains->insert(node.domain);
    for (const Body& body : node.bodies) add_domains(model, body.graph, domains);
  }
}

/// All but the graph.
void fill_frame(const Model& model, const ModelText& text, onnx::ModelProto* proto) {
  proto->set_ir_version(ir_version_of(model, text));
  proto->set_producer_name("fluid2onnx");
  if (!text.producer_version.empty()) proto->set_producer_version(text.producer_version);
  const auto import = [&](const std::string& domain, int version) {
    auto* opset = proto->add_opset_import();
    opset->set_domain(domain);
    opset->set_version(version);
  };
  import("", model.opset());
  std::set<std::string> domains;
  add_domains(model, 0, &domains);
  for (const auto& domain : domains) import(domain, 1);
  for (const auto& [key, value] : text.metadata) {
    auto* entry = proto->add_metadata_props();
    entry->set_key(key);
    entry->set_value(value);
  }
}

}  // namespace

int oldest_ir_version_for(int opset) {
  for (const auto& [newest_opset, ir] : kIr) {
    if (opset <= newest_opset) return ir;
  }
  return onnx::Version::IR_VERSION;
}

int ir_version_for(int opset) { return std::max(oldest_ir_version_for(opset), kFirstIrOfPureInitializers); }

int ir_version_of(const Model& model, const ModelText& text) {
  return text.ir_version ? text.ir_version : ir_version_for(model.opset());
}

onnx::ModelProto* model_proto(const Model& model, const ModelText& text, google::protobuf::Arena* arena) {
  auto* proto = google::protobuf::Arena::CreateMessage<onnx::ModelProto>(arena);
  fill_frame(model, text, proto);
  for (const NodeId id : model.main().nodes) node_proto(model, model.node(id), proto->mutable_graph()->add_node());
  port_protos(model, text, proto->mutable_graph());
  return proto;
}

onnx::ModelProto frame_proto(const Model& model, const ModelText& text) {
  onnx::ModelProto proto;
  fill_frame(model, text, &proto);
  return proto;
}

void port_protos(const Model& model, const ModelText& text, onnx::GraphProto* graph) {
  graph->set_name("main");
  inputs_and_outputs(model, 0, graph);
  if (ir_version_of(model, text) >= kFirstIrOfPureInitializers) return;
  for (const Value v : model.main().initializers) value_proto(model, v, model[v].type(), graph->add_input());
}

void node_proto(const Model& model, const Node& node, onnx::NodeProto* proto) {
  proto->set_op_type(node.op_type);
  if (!node.domain.empty()) proto->set_domain(node.domain);
  for (const Value v : node.inputs) proto->add_input(v ? model[v].name : "");
  for (const Value v : node.outputs) {
    proto->add_output(v ? model[v].name : "");
    // Unique, since results are, and different from the names of tensors, which onnxslim gives to the nodes that it
    // adds.
    if (v && proto->name().empty()) proto->set_name(node.op_type + "." + model[v].name);
  }
  for (const auto& a : node.attributes) *proto->add_attribute() = a;
  for (const Body& body : node.bodies) {
    auto* attribute = proto->add_attribute();
    attribute->set_name(body.attribute);
    attribute->set_type(onnx::AttributeProto::GRAPH);
    onnx::GraphProto* graph = attribute->mutable_g();
    graph->set_name(proto->name() + "/" + body.attribute);
    for (const NodeId id : model.graph(body.graph).nodes) node_proto(model, model.node(id), graph->add_node());
    inputs_and_outputs(model, body.graph, graph);
    for (const Value v : model.graph(body.graph).initializers) {
      // Copied: protobuf's move from the heap to an arena copies too, but ends the process without memory.
      graph->add_initializer()->CopyFrom(to_proto(*model[v].constant, model[v].name));
    }
  }
}

void value_proto(const Model& model, Value v, const onnx::TypeProto& type, onnx::ValueInfoProto* proto) {
  proto->set_name(model[v].name);
  if (type.value_case() != onnx::TypeProto::VALUE_NOT_SET) *proto->mutable_type() = type;
}

onnx::TensorProto tensor_header(const Model& model, Value constant) {
  const ValueInfo& info = model[constant];
  onnx::TensorProto proto;
  for (const int64_t d : info.constant->dims()) proto.add_dims(d);
  proto.set_data_type(static_cast<int32_t>(info.constant->dtype()));
  proto.set_name(info.name);
  return proto;
}

}  // namespace fluid2onnx

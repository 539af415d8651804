#include "runtime/onnx/write/model_proto.h"

#include <algorithm>
#include <set>

#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

constexpr char kMainGraph[] = "main";
constexpr int kFirstIrOfPureInitializers = 4;

// Opsets of the default domain by the IR version that came with them (VERSION_TABLE of onnx/helper.py). The newest
// have the newest IR version.
constexpr int kIr[][2] = {{8, 3},  {9, 4},   {10, 5},  {11, 6},  {14, 7}, {18, 8},
                          {20, 9}, {22, 10}, {23, 11}, {24, 12}, {27, 13}};

class Builder {
 public:
  Builder(const Model& model, const ModelText& text) : model_(model), text_(text) {}

  void value_info(Value v, onnx::ValueInfoProto* proto) const {
    const ValueInfo& info = model_[v];
    proto->set_name(info.name);
    if (info.type().value_case() != onnx::TypeProto::VALUE_NOT_SET) *proto->mutable_type() = info.type();
  }

  void graph(GraphId id, const std::string& name, onnx::GraphProto* proto) {
    for (const NodeId n : model_.graph(id).nodes) node(model_.node(n), proto->add_node());
    ports(id, name, proto);
  }

  /// All but the nodes.
  void ports(GraphId id, const std::string& name, onnx::GraphProto* proto) {
    const Graph& g = model_.graph(id);
    proto->set_name(name);
    for (const Value v : g.inputs) value_info(v, proto->add_input());
    for (const Value v : g.outputs) value_info(v, proto->add_output());
    if (id == 0) {
      if (ir_version_of(model_, text_) < kFirstIrOfPureInitializers) {
        for (const Value v : g.initializers) value_info(v, proto->add_input());
      }
    } else {
      for (const Value v : g.initializers) *proto->add_initializer() = to_proto(*model_[v].constant, model_[v].name);
    }
  }

  void node(const Node& n, onnx::NodeProto* proto) {
    proto->set_op_type(n.op_type);
    if (!n.domain.empty()) proto->set_domain(n.domain);
    for (const Value v : n.inputs) proto->add_input(v ? model_[v].name : "");
    for (const Value v : n.outputs) {
      proto->add_output(v ? model_[v].name : "");
      // Unique, since results are, and different from the names of tensors, which onnxslim gives to the nodes that it
      // adds.
      if (v && proto->name().empty()) proto->set_name(n.op_type + "." + model_[v].name);
    }
    for (const auto& a : n.attributes) *proto->add_attribute() = a;
    for (const Body& body : n.bodies) {
      auto* attribute = proto->add_attribute();
      attribute->set_name(body.attribute);
      attribute->set_type(onnx::AttributeProto::GRAPH);
      graph(body.graph, proto->name() + "/" + body.attribute, attribute->mutable_g());
    }
  }

  /// All but the graph.
  void model(onnx::ModelProto* proto) const {
    proto->set_ir_version(ir_version_of(model_, text_));
    proto->set_producer_name("fluid2onnx");
    if (!text_.producer_version.empty()) proto->set_producer_version(text_.producer_version);
    auto* opset = proto->add_opset_import();
    opset->set_domain("");
    opset->set_version(model_.opset());
    std::set<std::string> domains;
    add_domains(0, &domains);
    for (const auto& domain : domains) {
      auto* custom = proto->add_opset_import();
      custom->set_domain(domain);
      custom->set_version(1);
    }
    for (const auto& [key, value] : text_.metadata) {
      auto* entry = proto->add_metadata_props();
      entry->set_key(key);
      entry->set_value(value);
    }
  }

 private:
  void add_domains(GraphId id, std::set<std::string>* domains) const {
    for (const NodeId n : model_.graph(id).nodes) {
      const Node& node = model_.node(n);
      if (!node.domain.empty()) domains->insert(node.domain);
      for (const Body& body : node.bodies) add_domains(body.graph, domains);
    }
  }

  const Model& model_;
  const ModelText& text_;
};

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
  Builder builder(model, text);
  builder.model(proto);
  builder.graph(0, kMainGraph, proto->mutable_graph());
  return proto;
}

onnx::ModelProto frame_proto(const Model& model, const ModelText& text) {
  onnx::ModelProto proto;
  Builder(model, text).model(&proto);
  return proto;
}

void port_protos(const Model& model, const ModelText& text, onnx::GraphProto* graph) {
  Builder(model, text).ports(0, kMainGraph, graph);
}

void node_proto(const Model& model, const ModelText& text, const Node& node, onnx::NodeProto* proto) {
  Builder(model, text).node(node, proto);
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

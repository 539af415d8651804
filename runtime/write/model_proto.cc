#include "runtime/write/model_proto.h"

#include <set>

#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

constexpr int kFirstIrOfPureInitializers = 4;

// Opsets of the default domain by the IR version that came with them (VERSION_TABLE of onnx/helper.py).
constexpr int kIr[][2] = {{8, 3},  {9, 4},   {10, 5},  {11, 6},  {14, 7},  {18, 8},
                          {20, 9}, {22, 10}, {23, 11}, {24, 12}, {27, 13}, {28, 14}};

class Builder {
 public:
  Builder(const Model& model, const ModelText& text) : model_(model), text_(text) {}

  void value_info(Value v, onnx::ValueInfoProto* proto) const {
    const ValueInfo& info = model_[v];
    proto->set_name(info.name);
    if (info.type.value_case() != onnx::TypeProto::VALUE_NOT_SET) *proto->mutable_type() = info.type;
  }

  void graph(GraphId id, const std::string& name, onnx::GraphProto* proto) {
    const Graph& g = model_.graph(id);
    proto->set_name(name);
    for (const NodeId n : g.nodes) node(model_.node(n), proto);
    for (const Value v : g.inputs) value_info(v, proto->add_input());
    for (const Value v : g.outputs) value_info(v, proto->add_output());
    if (id == 0) {
      if (ir_version_for(model_.opset()) < kFirstIrOfPureInitializers) {
        for (const Value v : g.initializers) value_info(v, proto->add_input());
      }
    } else {
      for (const Value v : g.initializers) *proto->add_initializer() = to_proto(*model_[v].constant, model_[v].name);
    }
    if (text_.value_info) {
      std::set<int32_t> outputs;
      for (const Value v : g.outputs) outputs.insert(v.id);
      for (const NodeId n : g.nodes) {
        for (const Value v : model_.node(n).outputs) {
          if (v && outputs.count(v.id) == 0) value_info(v, proto->add_value_info());
        }
      }
    }
  }

  const std::set<std::string>& domains() const { return domains_; }

 private:
  void node(const Node& n, onnx::GraphProto* graph_proto) {
    onnx::NodeProto* proto = graph_proto->add_node();
    proto->set_op_type(n.op_type);
    if (!n.domain.empty()) {
      proto->set_domain(n.domain);
      domains_.insert(n.domain);
    }
    for (const Value v : n.inputs) proto->add_input(v ? model_[v].name : "");
    for (const Value v : n.outputs) {
      proto->add_output(v ? model_[v].name : "");
      // Results have unique names, so nodes get them for nothing.
      if (v && proto->name().empty()) proto->set_name(model_[v].name);
    }
    for (const auto& a : n.attributes) *proto->add_attribute() = a;
    for (const Body& body : n.bodies) {
      auto* attribute = proto->add_attribute();
      attribute->set_name(body.attribute);
      attribute->set_type(onnx::AttributeProto::GRAPH);
      graph(body.graph, proto->name() + "/" + body.attribute, attribute->mutable_g());
    }
  }

  const Model& model_;
  const ModelText& text_;
  std::set<std::string> domains_;
};

}  // namespace

int ir_version_for(int opset) {
  for (const auto& [newest_opset, ir] : kIr) {
    if (opset <= newest_opset) return ir;
  }
  throw Error("E_OPSET", "opset " + std::to_string(opset) + " is newer than this converter knows");
}

onnx::ModelProto* model_proto(const Model& model, const ModelText& text, google::protobuf::Arena* arena) {
  auto* proto = google::protobuf::Arena::CreateMessage<onnx::ModelProto>(arena);
  proto->set_ir_version(ir_version_for(model.opset()));
  proto->set_producer_name(text.producer_name);
  if (!text.producer_version.empty()) proto->set_producer_version(text.producer_version);
  if (!text.doc.empty()) proto->set_doc_string(text.doc);
  Builder builder(model, text);
  builder.graph(0, text.graph_name, proto->mutable_graph());
  auto* opset = proto->add_opset_import();
  opset->set_domain("");
  opset->set_version(model.opset());
  for (const auto& domain : builder.domains()) {
    auto* custom = proto->add_opset_import();
    custom->set_domain(domain);
    custom->set_version(1);
  }
  for (const auto& [key, value] : text.metadata) {
    auto* entry = proto->add_metadata_props();
    entry->set_key(key);
    entry->set_value(value);
  }
  return proto;
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

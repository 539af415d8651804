#include "runtime/onnx/graph/graph.h"

#include <algorithm>
#include <cassert>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

constexpr int kFirstOpsetOfLocalConstants = 9;  // IR 3 demands that initializers are inputs: no good for bodies

}  // namespace

Model::Model(int opset) : opset_(opset) { graphs_.emplace_back(); }

GraphId Model::enter() {
  graphs_.emplace_back();
  graphs_.back().parent = current_;
  current_ = static_cast<GraphId>(graphs_.size() - 1);
  return current_;
}

void Model::leave() {
  assert(current_ != 0);
  current_ = graph(current_).parent;
}

Value Model::new_value_named(std::string name, bool named, GraphId graph) {
  const Value v{static_cast<int32_t>(values_.size())};
  ValueInfo& info = values_.emplace_back();
  info.name = std::move(name);
  info.named = named;
  info.graph = graph;
  return v;
}

Value Model::add_input(std::string_view name, const onnx::TypeProto& type) {
  const Value v = new_value_named(unique_name(name), true, current_);
  set_type(v, type);
  graph(current_).inputs.push_back(v);
  return v;
}

GraphId Model::constants_go_to(uint64_t bytes) const {
  return opset_ >= kFirstOpsetOfLocalConstants && bytes <= kSmallTensorBytes ? current_ : 0;
}

Value Model::add_constant(Tensor tensor, std::string_view name) {
  const GraphId where = constants_go_to(tensor.byte_size());
  constant_bytes_ += tensor.byte_size();
  const Value v = new_value_named(unique_name(name.empty() ? "const" : name), false, where);
  set_type(v, tensor_type(tensor.dtype(), tensor.dims()));
  at(v).constant = std::make_shared<const Tensor>(std::move(tensor));
  graph(where).initializers.push_back(v);
  return v;
}

Value Model::add_parameter(std::string_view name, Tensor tensor) {
  constant_bytes_ += tensor.byte_size();
  const Value v = new_value_named(unique_name(name), true, 0);
  set_type(v, tensor_type(tensor.dtype(), tensor.dims()));
  at(v).constant = std::make_shared<const Tensor>(std::move(tensor));
  main().initializers.push_back(v);
  return v;
}

Value Model::new_value(std::string_view name_hint) {
  std::string base;
  base.reserve(name_prefix_.size() + 1 + name_hint.size());
  if (!name_prefix_.empty()) base.append(name_prefix_).append("/");
  base.append(name_hint);
  return new_value_named(unique_name(base), false, current_);
}

NodeId Model::add_node(Node node) {
  const auto id = static_cast<NodeId>(nodes_.size());
  node.graph = current_;
  for (const Value v : node.outputs) {
    if (v) at(v).producer = id;
  }
  nodes_.push_back(std::move(node));
  graph(current_).nodes.push_back(id);
  return id;
}

Value Model::append(std::string_view op, Values inputs, const Attrs& attrs, const onnx::TypeProto& type, Value result) {
  Node node;
  node.op_type = op;
  node.inputs = std::move(inputs);
  node.attributes = to_protos(attrs);
  if (!result) result = new_value((*this)[node.inputs[0]].name + "/" + node.op_type);
  node.outputs = {result};
  set_type(result, type);
  add_node(std::move(node));
  return result;
}

void Model::rename(Value v, std::string_view name, bool replace) {
  ValueInfo& info = at(v);
  if ((info.named && !replace) || info.constant) return;
  if (marked_) renames_.push_back({v, info.name, info.named});
  // The old name stays reserved: names never depend on what was renamed when.
  if (info.name != name) info.name = unique_name(name);
  info.named = true;
}

void Model::make_computed(Value v, Node node) {
  const auto id = static_cast<NodeId>(nodes_.size());
  node.outputs = {v};
  nodes_.push_back(std::move(node));
  main().nodes.insert(main().nodes.begin(), id);
  std::erase(main().initializers, v);
  at(v).constant.reset();
  at(v).proto.reset();
  at(v).producer = id;
}

void Model::set_result(NodeId id, size_t index, Value v) {
  at(v).producer = id;
  node(id).outputs[index] = v;
}

std::string Model::unique_name(std::string_view base) {
  std::string wanted(base.empty() ? "value" : base);
  if (const size_t hash = std::hash<std::string>()(wanted); names_.insert(hash)) {
    if (marked_) name_log_.push_back({hash, nullptr, 0});
    return wanted;
  }
  int& next = next_suffix_.emplace(wanted, 1).first->second;
  while (true) {
    std::string name = wanted + "_" + std::to_string(next++);
    const size_t hash = std::hash<std::string>()(name);
    if (!names_.insert(hash)) continue;
    if (marked_) name_log_.push_back({hash, &next, next - 1});
    return name;
  }
}

bool Model::visible(GraphId from, GraphId in) const {
  for (; in >= 0; in = graph(in).parent) {
    if (in == from) return true;
  }
  return false;
}

std::vector<int32_t> Model::use_counts() const {
  std::vector<int32_t> counts(values_.size());
  std::vector<GraphId> open{0};
  while (!open.empty()) {
    const Graph& g = graph(open.back());
    open.pop_back();
    for (const Value v : g.outputs) ++counts[static_cast<size_t>(v.id)];
    for (const NodeId id : g.nodes) {
      for (const Value v : node(id).inputs) {
        if (v) ++counts[static_cast<size_t>(v.id)];
      }
      for (const Body& b : node(id).bodies) open.push_back(b.graph);
    }
  }
  return counts;
}

void Model::refuse_absent() {
  throw Error(E_BAD_PROGRAM, "an operand is missing").hint("the model is invalid; export it again");
}

Dtype Model::dtype(Value v) const {
  const onnx::TypeProto& type = (*this)[v].type();
  return type.has_tensor_type() ? static_cast<Dtype>(type.tensor_type().elem_type()) : Dtype::undefined;
}

const onnx::TensorShapeProto* Model::shape(Value v) const {
  const onnx::TypeProto& type = (*this)[v].type();
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return nullptr;
  return &type.tensor_type().shape();
}

std::optional<Ints> Model::static_shape(Value v) const {
  const auto* s = shape(v);
  if (!s) return std::nullopt;
  Ints dims;
  for (const auto& d : s->dim()) {
    if (!d.has_dim_value() || d.dim_value() < 0) return std::nullopt;
    dims.push_back(d.dim_value());
  }
  return dims;
}

const onnx::TensorProto* Model::small_proto(Value v) const {
  const ValueInfo& info = (*this)[v];
  if (!info.constant || info.constant->byte_size() > kSmallTensorBytes) return nullptr;
  if (!info.proto) info.proto = std::make_shared<const onnx::TensorProto>(to_proto(*info.constant, info.name));
  return info.proto.get();
}

std::optional<Ints> Model::constant_ints(Value v) const {
  constexpr int64_t kMost = 1024;
  const Tensor* constant = v ? (*this)[v].constant.get() : nullptr;
  return constant && constant->count() <= kMost ? constant->as_ints() : std::nullopt;
}

Model::Mark Model::mark() {
  marked_ = true;
  Mark m{values_.size(),   nodes_.size(),   graphs_.size(),
         name_log_.size(), renames_.size(), key_log_.size(),
         constant_bytes_,  current_,        {},
         name_prefix_};
  for (GraphId g = current_; g >= 0; g = graph(g).parent) {
    const Graph& open = graph(g);
    m.open.push_back({g, open.nodes.size(), open.inputs.size(), open.outputs.size(), open.initializers.size()});
  }
  return m;
}

void Model::rollback(const Mark& m) {
  for (const auto& sizes : m.open) {
    Graph& g = graph(sizes.graph);
    g.nodes.resize(sizes.nodes);
    g.inputs.resize(sizes.inputs);
    g.outputs.resize(sizes.outputs);
    g.initializers.resize(sizes.initializers);
  }
  while (renames_.size() > m.renames) {
    Rename& r = renames_.back();
    at(r.value).name = std::move(r.old_name);
    at(r.value).named = r.old_named;
    renames_.pop_back();
  }
  while (key_log_.size() > m.keys) {
    keys_.erase(key_log_.back());
    key_log_.pop_back();
  }
  while (name_log_.size() > m.names) {
    const Reserved& r = name_log_.back();
    names_.erase(r.name);
    if (r.next) *r.next = r.suffix;  // the same emission gives the same names
    name_log_.pop_back();
  }
  values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(m.values), values_.end());
  nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(m.nodes), nodes_.end());
  graphs_.erase(graphs_.begin() + static_cast<std::ptrdiff_t>(m.graphs), graphs_.end());
  constant_bytes_ = m.constant_bytes;
  current_ = m.current;
  name_prefix_ = m.name_prefix;
}

namespace {

std::string scoped_key(GraphId graph, const std::string& key) { return std::to_string(graph) + ":" + key; }

}  // namespace

void Model::remember(GraphId graph, std::string key, Value v) {
  key = scoped_key(graph, key);
  if (keys_.emplace(key, v).second) key_log_.push_back(std::move(key));
}

Value Model::recall(GraphId graph, const std::string& key) const {
  const auto found = keys_.find(scoped_key(graph, key));
  return found == keys_.end() ? Value() : found->second;
}

onnx::TypeProto tensor_type(Dtype dtype, const std::optional<Ints>& dims) {
  onnx::TypeProto type;
  type.mutable_tensor_type()->set_elem_type(static_cast<int32_t>(dtype));
  if (dims) {
    auto* shape = type.mutable_tensor_type()->mutable_shape();
    for (const int64_t d : *dims) {
      auto* dim = shape->add_dim();
      if (d >= 0) dim->set_dim_value(d);
    }
  }
  return type;
}

onnx::TensorProto to_proto(const Tensor& tensor, const std::string& name) {
  onnx::TensorProto proto;
  if (!name.empty()) proto.set_name(name);
  proto.set_data_type(static_cast<int32_t>(tensor.dtype()));
  for (const int64_t d : tensor.dims()) proto.add_dims(d);
  const Tensor ready = tensor.evaluated();
  const auto bytes = ready.bytes();
  proto.set_raw_data(bytes.data(), bytes.size());
  return proto;
}

void set_external(onnx::TensorProto* tensor, const std::string& location, uint64_t offset, uint64_t length) {
  const auto add = [&](const char* key, const std::string& value) {
    auto* entry = tensor->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  };
  add("location", location);
  add("offset", std::to_string(offset));
  add("length", std::to_string(length));
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
}

}  // namespace fluid2onnx

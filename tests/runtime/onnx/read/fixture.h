// What the tests of reading ONNX files share.
#pragma once

#include <doctest/doctest.h>
#include <onnx/onnx_pb.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "runtime/onnx/read/open_model.h"
#include "runtime/support/error.h"
#include "tests/runtime/error_of.h"
#include "tests/runtime/temporary_folder.h"

namespace fluid2onnx::test {

/// A model with nothing in its graph.
inline onnx::ModelProto empty_model(int opset = 17) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  model.mutable_graph()->set_name("g");
  return model;
}

inline OnnxFile opened(const onnx::ModelProto& model) {
  const TemporaryFolder folder;
  return open_onnx(folder.write("m.onnx", model.SerializeAsString()));
}

/// The error of opening it.
inline Error refused(const onnx::ModelProto& model) {
  return error_of([&] { opened(model); });
}

/// Declares a float tensor; dims below 0 are unknown.
inline void declare(onnx::ValueInfoProto* value, const std::string& name, const std::vector<int64_t>& dims,
                    int type = onnx::TensorProto::FLOAT) {
  value->set_name(name);
  value->mutable_type()->mutable_tensor_type()->set_elem_type(type);
  auto* shape = value->mutable_type()->mutable_tensor_type()->mutable_shape();
  for (const int64_t d : dims) {
    auto* dim = shape->add_dim();
    if (d >= 0) dim->set_dim_value(d);
  }
}

template <class Holder>  // a graph or a function
onnx::NodeProto& add_node(Holder* holder, const std::string& op, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs) {
  auto* node = holder->add_node();
  node->set_op_type(op);
  for (const auto& name : inputs) node->add_input(name);
  for (const auto& name : outputs) node->add_output(name);
  return *node;
}

inline onnx::AttributeProto* add_attribute(onnx::NodeProto* node, const std::string& name,
                                           onnx::AttributeProto::AttributeType type) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(type);
  return attribute;
}

inline onnx::TensorProto tensor(const std::string& name, int type, const std::vector<int64_t>& dims) {
  onnx::TensorProto proto;
  proto.set_name(name);
  proto.set_data_type(type);
  for (const int64_t d : dims) proto.add_dims(d);
  return proto;
}

template <class T>
std::string bytes_of(const std::vector<T>& elements) {
  return std::string(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T));
}

/// x -> Relu -> y, of one dim.
inline onnx::ModelProto relu_model() {
  onnx::ModelProto model = empty_model();
  declare(model.mutable_graph()->add_input(), "x", {-1});
  declare(model.mutable_graph()->add_output(), "y", {-1});
  add_node(model.mutable_graph(), "Relu", {"x"}, {"y"});
  return model;
}

}  // namespace fluid2onnx::test

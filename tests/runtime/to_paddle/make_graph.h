// ONNX models written down in tests.
#pragma once

#include <string>
#include <vector>

#include "runtime/onnx/read/open_model.h"
#include "runtime/support/dtype.h"

namespace fluid2onnx {

struct MakeGraph {
  OnnxFile file;

  MakeGraph() { file.opsets[""] = 17; }

  onnx::GraphProto& graph() { return *file.model.mutable_graph(); }
  static void set_type(onnx::ValueInfoProto* port, const std::string& name) {
    port->set_name(name);
    auto* tensor = port->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(static_cast<int>(Dtype::float32));
    for (const int64_t dim : {2, 3}) tensor->mutable_shape()->add_dim()->set_dim_value(dim);
  }
  void input(const std::string& name) { set_type(graph().add_input(), name); }
  void output(const std::string& name) { set_type(graph().add_output(), name); }
  const onnx::NodeProto& node(const std::string& type, const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs) {
    onnx::NodeProto* node = graph().add_node();
    node->set_op_type(type);
    for (const std::string& name : inputs) node->add_input(name);
    for (const std::string& name : outputs) node->add_output(name);
    return *node;
  }
};

}  // namespace fluid2onnx

#include "runtime/to_paddle/walk.h"

namespace fluid2onnx {

Values OnnxWalk::run(const onnx::GraphProto& graph, const Values& inputs) {
  binder_.enter(graph, inputs);
  for (int i = 0; i < graph.node_size(); ++i) {
    const size_t before = problems_.all().size();
    binder_.go_to(i);
    convert_(graph, graph.node(i), i);
    if (problems_.all().size() > before && binder_.depth() == 1) problems_.add_failing(i);
  }
  Values outputs;
  for (const onnx::ValueInfoProto& output : graph.output()) outputs.push_back(binder_.operand(output.name()));
  binder_.leave();
  return outputs;
}

Values OnnxWalk::run(const onnx::FunctionProto& function, const onnx::NodeProto& call, const Values& inputs) {
  binder_.enter(function, inputs);
  for (int i = 0; i < function.node_size(); ++i) convert_(*binder_.scopes().back().graph, function.node(i), i);
  Values outputs;
  for (int i = 0; i < call.output_size() && i < function.output_size(); ++i) {
    outputs.push_back(call.output(i).empty() ? Value() : binder_.operand(function.output(i)));
  }
  binder_.leave();
  return outputs;
}

}  // namespace fluid2onnx

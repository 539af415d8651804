// What the tests of the graph share.
#pragma once

#include <doctest/doctest.h>
#include <onnx/onnx_pb.h>

#include <cctype>

#include <map>
#include <string>
#include <vector>

#include "runtime/convert/graph_context.h"
#include "runtime/onnx/graph/emitter.h"
#include "runtime/onnx/graph/graph.h"

namespace fluid2onnx::test {

/// An operator made up by a test.
struct FakeSource : OperatorSlots {
  std::string op = "fake";
  std::map<std::string, Values, std::less<>> in;
  std::map<std::string, Strings, std::less<>> out;
  std::map<std::string, AttributeValue, std::less<>> attrs;
  std::map<std::string, Values, std::less<>> attr_tensors;

  const std::string& type() const override { return op; }
  Values inputs(std::string_view slot) const override { return find(in, slot); }
  Strings outputs(std::string_view slot) const override { return find(out, slot); }
  bool used(std::string_view) const override { return true; }
  Dtype declared_dtype(std::string_view) const override { return Dtype::undefined; }
  std::string name() const override { return out.empty() ? "" : out.begin()->second.at(0); }
  const Attribute* attribute(std::string_view n) const override {
    const bool names_tensors = attr_tensors.count(std::string(n)) != 0;
    if (!names_tensors && attrs.count(std::string(n)) == 0) return nullptr;
    read = {std::string(n), names_tensors ? AttributeValue(VariableRefs()) : find(attrs, n)};
    return &read;
  }
  std::optional<Dtype> get_dtype(std::string_view) const override { return std::nullopt; }
  Values get_values(std::string_view n) const override { return find(attr_tensors, n); }

 private:
  template <class Map>
  static typename Map::mapped_type find(const Map& map, std::string_view key) {
    const auto found = map.find(key);
    return found == map.end() ? typename Map::mapped_type() : found->second;
  }
  mutable Attribute read;
};

/// A model with an emitter and a context of a made-up operator.
struct Bench {
  explicit Bench(int opset = 17) : model(opset), emitter(model) {}

  /// An input; dims given as text are symbolic.
  Value input(const std::string& name, Dtype dtype, const std::vector<std::string>& dims) {
    onnx::TypeProto type;
    type.mutable_tensor_type()->set_elem_type(static_cast<int>(dtype));
    auto* shape = type.mutable_tensor_type()->mutable_shape();
    for (const auto& d : dims) {
      auto* dim = shape->add_dim();
      if (d == "?") continue;
      if (std::isdigit(static_cast<unsigned char>(d[0]))) dim->set_dim_value(std::stoll(d));
      else dim->set_dim_param(d);
    }
    return model.add_input(name, type);
  }
  GraphContext context() { return GraphContext(emitter, source); }
  Ints ints(Value v) {
    REQUIRE(emitter.constant_of(v) != nullptr);
    return emitter.constant_of(v)->as_ints().value();
  }
  Floats floats(Value v) {
    REQUIRE(emitter.constant_of(v) != nullptr);
    return emitter.constant_of(v)->as_floats().value();
  }
  /// "Shape Gather": the nodes of a graph.
  std::string nodes(GraphId graph = 0) const {
    std::string text;
    for (const NodeId id : model.graph(graph).nodes) text += (text.empty() ? "" : " ") + model.node(id).op_type;
    return text;
  }
  /// "float32[N,3]", "float32[?]", "float32".
  std::string type(Value v) const {
    std::string text(dtype_name(model.dtype(v)));
    const auto* shape = model.shape(v);
    if (!shape) return text;
    text += "[";
    for (int i = 0; i < shape->dim_size(); ++i) {
      const auto& d = shape->dim(i);
      text += (i ? "," : "") + (d.has_dim_value()   ? std::to_string(d.dim_value())
                                : d.has_dim_param() ? d.dim_param()
                                                    : "?");
    }
    return text + "]";
  }

  Model model;
  Emitter emitter;
  FakeSource source;
};

}  // namespace fluid2onnx::test

#include "runtime/onnx/read/open_model.h"

#include <algorithm>
#include <functional>

#include "runtime/onnx/graph/opsets.h"
#include "runtime/support/limits.h"
#include "runtime/support/wire.h"
#include "tests/runtime/onnx/read/fixture.h"

namespace fluid2onnx::test {
namespace {

using onnx::ModelProto;
using onnx::TensorProto;

std::string node_types(const onnx::GraphProto& graph) {
  std::string text;
  for (const auto& node : graph.node()) text += (text.empty() ? "" : " ") + node.op_type();
  return text;
}

/// A model whose node holds a graph within a graph and so on.
ModelProto nested(int depth) {
  ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "c", {}, TensorProto::BOOL);
  for (int i = 0; i < depth; ++i) {
    auto& node = add_node(graph, "If", {"c"}, {"r" + std::to_string(i)});
    for (const char* name : {"else_branch", "then_branch"}) {
      auto* attribute = node.add_attribute();
      attribute->set_name(name);
      attribute->set_type(onnx::AttributeProto::GRAPH);
      graph = attribute->mutable_g();
      graph->set_name("g");
    }
  }
  return model;
}

}  // namespace

TEST_CASE("a small model is read as it is") {
  const OnnxFile onnx = opened(relu_model());
  CHECK(node_types(onnx.model.graph()) == "Relu");
  CHECK(onnx.opset() == 17);
  CHECK(onnx.warnings.empty());
}

TEST_CASE("other files are no models") {
  const TemporaryFolder folder;
  CHECK(error_of([&] { open_onnx(folder.path("absent.onnx")); }).code() == E_NOT_FOUND);
  CHECK(error_of([&] { open_onnx(folder.path("")); }).code() == E_NOT_A_FILE);
  CHECK(error_of([&] { open_onnx(folder.write("empty.onnx", "")); }).code() == E_NOT_A_MODEL);
  CHECK(error_of([&] { open_onnx(folder.write("text.onnx", "hello, world")); }).code() == E_NOT_A_MODEL);
  CHECK(error_of([&] { open_onnx(folder.write("zero.onnx", std::string(5000, '\0'))); }).code() == E_NOT_A_MODEL);
}

TEST_CASE("a damaged file never does worse than an error") {
  ModelProto model = relu_model();
  *model.mutable_graph()->add_initializer() = tensor("w", TensorProto::FLOAT, {512});
  model.mutable_graph()->mutable_initializer(0)->set_raw_data(std::string(2048, 'w'));
  const std::string bytes = model.SerializeAsString();
  const TemporaryFolder folder;
  const auto survives = [&](const std::string& damaged) {
    const std::string path = folder.write("m.onnx", damaged);
    try {
      open_onnx(path);
    } catch (const Error& error) {
      CHECK(error.code() != E_INTERNAL);
    }
  };
  for (std::size_t size = 0; size < bytes.size(); size += size < 200 || size + 200 > bytes.size() ? 1 : 97) {
    const std::string path = folder.write("m.onnx", bytes.substr(0, size));
    CAPTURE(size);
    try {
      const OnnxFile onnx = open_onnx(path);
      CHECK(onnx.model.has_graph());  // it was cut between two fields
    } catch (const Error& error) {
      const bool expected = error.code() == E_TRUNCATED || error.code() == E_NOT_A_MODEL ||
                            error.code() == E_BAD_PROGRAM || error.code() == E_UNSUPPORTED;
      CHECK(expected);
    }
  }
  for (std::size_t at = 0; at < bytes.size(); at += at < 200 || at + 200 > bytes.size() ? 1 : 97) {
    for (const int flip : {0x01, 0x08, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      survives(damaged);
    }
  }
}

TEST_CASE("versions") {
  ModelProto model = relu_model();
  SUBCASE("too old") {
    model.set_ir_version(2);
    CHECK(refused(model).code() == E_UNSUPPORTED);
  }
  SUBCASE("of the future") {
    model.set_ir_version(1000);
    CHECK(refused(model).code() == E_UNSUPPORTED);
  }
  SUBCASE("an opset of the future") {
    model.mutable_opset_import(0)->set_version(1000);
    CHECK(refused(model).message() ==
          "the model is for opset 1000, the newest known one is " + std::to_string(newest_opset()));
  }
  SUBCASE("an impossible opset") {
    for (const int64_t version : {int64_t{-3}, int64_t{0}, int64_t{1} << 40}) {
      model.mutable_opset_import(0)->set_version(version);
      CHECK(refused(model).code() == E_BAD_PROGRAM);
      CHECK(refused(model).message() == "opset " + std::to_string(version) + " of domain ''");
    }
  }
  SUBCASE("the default domain has two names") {
    model.mutable_opset_import(0)->set_domain("ai.onnx");
    model.mutable_graph()->mutable_node(0)->set_domain("ai.onnx");
    const OnnxFile onnx = opened(model);
    CHECK(onnx.opset() == 17);
    CHECK(onnx.model.graph().node(0).domain().empty());
  }
  SUBCASE("no opset at all") {
    model.clear_opset_import();
    CHECK(opened(model).opset() == 1);
  }
}

TEST_CASE("large tensors stay in the file, wherever they are") {
  ModelProto model = nested(2);
  auto* graph = model.mutable_graph();
  auto big = [](const std::string& name) {
    TensorProto proto = tensor(name, TensorProto::FLOAT, {512});
    proto.set_raw_data(std::string(2048, 'w'));
    return proto;
  };
  *graph->add_initializer() = big("w");
  auto* inner = graph->mutable_node(0)->mutable_attribute(1)->mutable_g();
  *inner->add_initializer() = big("v");
  auto* value = add_node(inner, "Constant", {}, {"u"}).add_attribute();
  value->set_name("value");
  *value->mutable_t() = big("");
  const OnnxFile onnx = opened(model);
  const auto& body = onnx.model.graph().node(0).attribute(1).g();
  for (const TensorProto* proto :
       {&onnx.model.graph().initializer(0), &body.initializer(0), &body.node(1).attribute(0).t()}) {
    CHECK(proto->data_location() == TensorProto::EXTERNAL);
    CHECK_FALSE(proto->has_raw_data());
    CHECK(proto->external_data(0).value() == kInModel);
  }
}

TEST_CASE("tensors that stay in the file are in one field, and large") {
  ModelProto model = relu_model();
  auto* weight = model.mutable_graph()->add_initializer();
  *weight = tensor("w", TensorProto::FLOAT, {512});
  weight->set_raw_data(std::string(2048, 'w'));
  const auto stays = [&] {
    return opened(model).model.graph().initializer(0).data_location() == TensorProto::EXTERNAL;
  };
  CHECK(stays());
  weight->add_float_data(1);
  CHECK_FALSE(stays());
  weight->clear_raw_data();
  weight->set_doc_string(std::string(2048, 'd'));
  CHECK_FALSE(stays());
  weight->clear_float_data();
  CHECK_FALSE(stays());
  weight->add_string_data(std::string(2048, 's'));
  CHECK_FALSE(stays());
  weight->clear_string_data();
  // Of numbers that are not packed, each is a field.
  wire::append_varint(wire::tag(TensorProto::kFloatDataFieldNumber, wire::kFixed32), weight->mutable_unknown_fields());
  weight->mutable_unknown_fields()->append("\0\0\xc0\x3f", 4);
  CHECK_FALSE(stays());
  CHECK(opened(model).model.graph().initializer(0).float_data(0) == 1.5f);
}

TEST_CASE("megabytes of weights") {
  ModelProto model = relu_model();
  for (const char* name : {"v", "w"}) {
    auto* weight = model.mutable_graph()->add_initializer();
    *weight = tensor(name, TensorProto::UINT8, {9 << 20});
    weight->set_raw_data(std::string(9 << 20, name[0]));
  }
  const OnnxFile onnx = opened(model);
  REQUIRE(onnx.model.graph().initializer_size() == 2);
  for (const auto& weight : onnx.model.graph().initializer()) {
    CHECK(weight.data_location() == TensorProto::EXTERNAL);
    CHECK(onnx.file->bytes(std::stoull(weight.external_data(1).value()), 1)[0] == weight.name()[0]);
  }
}

TEST_CASE("messages that protobuf refuses are located") {
  // A tag of six bytes, which the reader skips.
  const std::string tag("\x88\x80\x80\x80\x80\0\0", 7);
  const auto delimited = [](char field, const std::string& value) {
    return std::string(1, static_cast<char>(field << 3 | 2)) + static_cast<char>(value.size()) + value;
  };
  const struct {
    std::string graph, message, place;
  } cases[] = {
      {tag, "GraphProto", "byte 4"},
      {delimited(1, tag), "NodeProto", "byte 6"},
      {delimited(1, delimited(5, tag)), "AttributeProto", "byte 8"},
      {delimited(5, tag), "TensorProto", "byte 6"},
      {delimited(15, tag), "SparseTensorProto", "byte 6"},
      {delimited(15, delimited(2, tag)), "TensorProto", "byte 8"},
  };
  const TemporaryFolder folder;
  for (const auto& [graph, message, place] : cases) {
    CAPTURE(message);
    const std::string path = folder.write("m.onnx", "\x08\x08" + delimited(7, graph));
    const Error error = error_of([&] { open_onnx(path); });
    CHECK(error.code() == E_BAD_PROGRAM);
    CHECK(error.message() == "not an ONNX model: onnx." + message + " cannot be read");
    CHECK_MESSAGE(error.place().ends_with("m.onnx: " + place), error.place());
  }
  const std::string functions = folder.write("f.onnx", "\x08\x08" + std::string("\xca\x01\x07") + tag);
  CHECK(error_of([&] { open_onnx(functions); }).message() == "not an ONNX model: onnx.FunctionProto cannot be read");
}

TEST_CASE("an initializer is no input") {
  ModelProto model = relu_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "w", {2});
  *graph->add_initializer() = tensor("w", TensorProto::FLOAT, {2});
  SUBCASE("in old files all are inputs") {
    model.set_ir_version(3);
    const OnnxFile onnx = opened(model);
    CHECK(onnx.model.graph().input_size() == 1);
    CHECK(onnx.warnings.empty());
  }
  SUBCASE("in new ones it is a default") {
    const OnnxFile onnx = opened(model);
    CHECK(onnx.model.graph().input_size() == 1);
    CHECK(onnx.warnings.at(0) == "1 input with a default value ('w') are converted to constants");
  }
}

TEST_CASE("nodes are put in order") {
  ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {2});
  declare(graph->add_output(), "y", {2});
  add_node(graph, "Exp", {"b"}, {"y"});
  add_node(graph, "Relu", {"x"}, {"a"});
  add_node(graph, "Neg", {"a"}, {"b"});
  SUBCASE("by what they read") { CHECK(node_types(opened(model).model.graph()) == "Relu Neg Exp"); }
  SUBCASE("by what their graphs read") {
    auto* attribute = graph->mutable_node(1)->add_attribute();
    attribute->set_name("body");
    add_node(attribute->mutable_g(), "Abs", {"c"}, {"d"});
    add_node(graph, "Tan", {"x"}, {"c"});
    CHECK(node_types(opened(model).model.graph()) == "Tan Relu Neg Exp");
  }
  SUBCASE("a cycle") {
    graph->mutable_node(1)->set_input(0, "b");
    CHECK(refused(model).message() == "the nodes form a cycle, to which node Exp belongs or leads");
  }
  SUBCASE("a node that reads its own result") {
    graph->mutable_node(1)->set_input(0, "a");
    CHECK(refused(model).code() == E_BAD_PROGRAM);
  }
  SUBCASE("a name without a producer") {
    graph->mutable_node(2)->set_input(0, "nowhere");
    graph->mutable_node(2)->set_name("n");
    CHECK(refused(model).message() == "node 'n' Neg reads 'nowhere', which has no producer");
  }
  SUBCASE("an output without a producer") {
    graph->mutable_output(0)->set_name("nowhere");
    CHECK(refused(model).message() == "'nowhere' has no producer");
  }
  SUBCASE("a name that is defined twice") {
    graph->mutable_node(2)->set_output(0, "a");
    CHECK(refused(model).message() == "'a' is defined twice");
  }
}

TEST_CASE("attributes of files before IR version 2 have the type of what they hold") {
  ModelProto model = relu_model();
  auto& node = *model.mutable_graph()->mutable_node(0);
  node.set_op_type("Softmax");
  auto* axis = node.add_attribute();
  axis->set_name("axis");
  axis->set_i(0);
  CHECK(opened(model).model.graph().node(0).attribute(0).type() == onnx::AttributeProto::INT);

  using A = onnx::AttributeProto;
  const auto type_of = [](const std::function<void(A*)>& fill) {
    ModelProto other = relu_model();
    A* const attribute = other.mutable_graph()->mutable_node(0)->add_attribute();
    attribute->set_name("a");
    fill(attribute);
    return opened(other).model.graph().node(0).attribute(0).type();
  };
  CHECK(type_of([](A* a) { a->set_f(1); }) == A::FLOAT);
  CHECK(type_of([](A* a) { a->set_s("text"); }) == A::STRING);
  CHECK(type_of([](A* a) { *a->mutable_t() = tensor("t", TensorProto::FLOAT, {}); }) == A::TENSOR);
  CHECK(type_of([](A* a) { a->mutable_g()->set_name("g"); }) == A::GRAPH);
  CHECK(type_of([](A* a) { a->add_floats(1); }) == A::FLOATS);
  CHECK(type_of([](A* a) { a->add_ints(1); }) == A::INTS);
  CHECK(type_of([](A* a) { a->add_strings("text"); }) == A::STRINGS);
  CHECK(type_of([](A* a) { *a->add_tensors() = tensor("t", TensorProto::FLOAT, {}); }) == A::TENSORS);
  CHECK(type_of([](A* a) { a->add_graphs()->set_name("g"); }) == A::GRAPHS);
  CHECK(type_of([](A*) {}) == A::UNDEFINED);
}

TEST_CASE("sparse tensors are read, and what is for training is not") {
  ModelProto model = relu_model();
  const auto fill = [](onnx::SparseTensorProto* sparse, const std::string& name) {
    *sparse->mutable_values() = tensor(name, TensorProto::FLOAT, {2});
    sparse->mutable_values()->set_raw_data(bytes_of<float>({1, 2}));
    *sparse->mutable_indices() = tensor(name + ".indices", TensorProto::INT64, {2});
    sparse->mutable_indices()->set_raw_data(bytes_of<int64_t>({0, 3}));
    sparse->add_dims(4);
  };
  auto* graph = model.mutable_graph();
  fill(graph->add_sparse_initializer(), "w");
  auto& constant = *graph->add_node();
  constant.set_op_type("Constant");
  constant.add_output("c");
  auto* value = constant.add_attribute();
  value->set_name("sparse_value");
  value->set_type(onnx::AttributeProto::SPARSE_TENSOR);
  fill(value->mutable_sparse_tensor(), "v");
  auto* several = constant.add_attribute();
  several->set_name("values");
  several->set_type(onnx::AttributeProto::SPARSE_TENSORS);
  fill(several->add_sparse_tensors(), "u");
  model.add_training_info()->mutable_algorithm()->set_name("training");

  const OnnxFile onnx = opened(model);
  REQUIRE(onnx.model.graph().sparse_initializer_size() == 1);
  CHECK(onnx.model.graph().sparse_initializer(0).values().name() == "w");
  CHECK(onnx.model.graph().sparse_initializer(0).dims(0) == 4);
  CHECK(onnx.model.training_info_size() == 0);
  const auto& nodes = onnx.model.graph().node();
  const auto found = std::find_if(nodes.begin(), nodes.end(), [](const auto& n) { return n.op_type() == "Constant"; });
  REQUIRE(found != nodes.end());
  CHECK(found->attribute(0).sparse_tensor().indices().raw_data() == bytes_of<int64_t>({0, 3}));
  CHECK(found->attribute(1).sparse_tensors(0).values().name() == "u");
}

TEST_CASE("graphs within graphs have a limit") {
  CHECK(opened(nested(limits::kGraphDepth)).model.has_graph());
  CHECK(refused(nested(limits::kGraphDepth + 1)).code() == E_TOO_LARGE);
  CHECK(refused(nested(200)).code() == E_TOO_LARGE);
}

namespace {

/// `calls` calls of the next function in each of `count` functions.
ModelProto chain(int count, int calls) {
  ModelProto model = relu_model();
  model.add_opset_import()->set_domain("own");
  model.mutable_opset_import(1)->set_version(1);
  auto& node = *model.mutable_graph()->mutable_node(0);
  node.set_op_type("f0");
  node.set_domain("own");
  for (int i = 0; i < count; ++i) {
    auto* function = model.add_functions();
    function->set_name("f" + std::to_string(i));
    function->set_domain("own");
    function->add_input("a");
    function->add_output("t" + std::to_string(calls - 1));
    for (const auto& opset : model.opset_import()) *function->add_opset_import() = opset;
    for (int j = 0; j < calls; ++j) {
      const std::string from = j == 0 ? "a" : "t" + std::to_string(j - 1);
      auto& inner = add_node(function, "Relu", {from}, {"t" + std::to_string(j)});
      if (i + 1 == count) continue;
      inner.set_op_type("f" + std::to_string(i + 1));
      inner.set_domain("own");
    }
  }
  return model;
}

}  // namespace

TEST_CASE("functions are inlined at their calls") {
  SUBCASE("of functions within functions") {
    const OnnxFile onnx = opened(chain(3, 2));
    CHECK(onnx.model.functions_size() == 0);
    CHECK(node_types(onnx.model.graph()) == "Relu Relu Relu Relu Relu Relu Relu Relu");
    CHECK(onnx.model.graph().node(7).output(0) == "y");
  }
  SUBCASE("with the weights that they hold") {
    ModelProto model = chain(1, 1);
    auto* value = add_node(model.mutable_functions(0), "Constant", {}, {"k"}).add_attribute();
    value->set_name("value");
    *value->mutable_t() = tensor("", TensorProto::FLOAT, {512});
    value->mutable_t()->set_raw_data(std::string(2048, 'w'));
    const OnnxFile onnx = opened(model);
    CHECK(onnx.model.graph().node(1).attribute(0).t().data_location() == TensorProto::EXTERNAL);
  }
  SUBCASE("with the attributes that their calls leave to them") {
    ModelProto model = chain(1, 1);
    auto* function = model.mutable_functions(0);
    auto& leaky = *function->mutable_node(0);
    leaky.set_op_type("LeakyRelu");
    auto* alpha = leaky.add_attribute();
    alpha->set_name("alpha");
    alpha->set_type(onnx::AttributeProto::FLOAT);
    alpha->set_ref_attr_name("slope");
    auto* slope = function->add_attribute_proto();
    slope->set_name("slope");
    slope->set_type(onnx::AttributeProto::FLOAT);
    slope->set_f(0.5f);
    CHECK(opened(model).model.graph().node(0).attribute(0).f() == 0.5f);
    auto* given = model.mutable_graph()->mutable_node(0)->add_attribute();
    *given = *slope;
    given->set_f(0.25f);
    CHECK(opened(model).model.graph().node(0).attribute(0).f() == 0.25f);
  }
  SUBCASE("not when they are billions of nodes") { CHECK(refused(chain(40, 3)).code() == E_TOO_LARGE); }
  SUBCASE("not when they call each other for ever") {
    ModelProto model = chain(2, 1);
    auto& node = *model.mutable_functions(1)->mutable_node(0);
    node.set_domain("own");
    node.set_op_type("f0");
    CHECK(refused(model).message() == "function 'f0' calls itself");
  }
  SUBCASE("not when they are deeper than any") { CHECK(refused(chain(5000, 1)).code() == E_TOO_LARGE); }
  SUBCASE("not when they are written for another opset") {
    ModelProto model = chain(1, 1);
    model.mutable_functions(0)->mutable_opset_import(0)->set_version(9);
    CHECK(refused(model).message() == "function 'f0' cannot be inlined: it is written for opset 9, the model for 17");
  }
}

}  // namespace fluid2onnx::test

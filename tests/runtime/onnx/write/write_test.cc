#include <doctest/doctest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "runtime/files/output_file.h"
#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/write/commit.h"
#include "runtime/onnx/write/onnx_writer.h"
#include "runtime/support/error.h"
#include "tests/runtime/onnx/graph/fixture.h"
#include "tests/runtime/onnx_bytes.h"
#include "tests/runtime/temporary_folder.h"

using namespace fluid2onnx;
using test::Bench;
using test::onnx_bytes;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

onnx::ModelProto parse(const std::string& bytes) {
  onnx::ModelProto proto;
  REQUIRE(proto.ParseFromString(bytes));
  return proto;
}

Tensor numbers(const Ints& dims) {
  std::vector<float> elements(static_cast<size_t>(element_count(dims)));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i);
  return Tensor::of(Dtype::float32, dims, elements);
}

/// x -> MatMul(w) -> Add(b) -> Reshape by its own shape -> out
void fill(Bench* b) {
  const Value x = b->input("x", Dtype::float32, {"N", "30"});
  const Value w = b->model.add_parameter("fc.w", numbers({30, 20}));
  const Value bias = b->model.add_parameter("fc.b", numbers({20}));
  Value y = b->emitter.emit_one("Add", {b->emitter.emit_one("MatMul", {x, w}), bias});
  y = b->emitter.emit_one("Reshape", {y, b->emitter.constant(Tensor::int64s({-1, 4, 5}))});
  b->emitter.add_output(y, "out");
}

Value ints(Bench* b, const Ints& elements) { return b->emitter.constant(Tensor::int64s(elements)); }

}  // namespace

TEST_CASE("what is written reads back, at every opset") {
  for (int opset = 7; opset <= newest_opset(); ++opset) {
    CAPTURE(opset);
    Bench b(opset);
    fill(&b);
    run_passes(b.model);
    WriteOptions options;
    options.text.producer_version = "1.2";
    options.text.metadata = {{"source", "test"}};
    const std::string bytes = onnx_bytes(b.model, options);
    const auto proto = parse(bytes);
    CHECK(proto.SerializeAsString() == bytes);  // as protobuf would have written it
    CHECK_NOTHROW(onnx::checker::check_model(proto, true));
    CHECK(proto.graph().initializer_size() == 3);
    CHECK(proto.graph().input_size() == 1);
    CHECK(proto.graph().input(0).type().tensor_type().shape().dim(0).dim_param() == "N");
    CHECK(proto.graph().output(0).name() == "out");
    CHECK(proto.graph().initializer(0).raw_data().size() == 2400);
  }
}

TEST_CASE("graphs of IR version 3 list initializers among their inputs") {
  Bench b(8);
  fill(&b);
  WriteOptions options;
  options.text.ir_version = 3;
  const auto proto = parse(onnx_bytes(b.model, options));
  CHECK(proto.ir_version() == 3);
  CHECK_NOTHROW(onnx::checker::check_model(proto, true));
  CHECK(proto.graph().input_size() == 1 + proto.graph().initializer_size());
}

TEST_CASE("IR versions") {
  CHECK(oldest_ir_version_for(8) == 3);
  CHECK(oldest_ir_version_for(9) == 4);
  CHECK(ir_version_for(7) == 4);
  CHECK(ir_version_for(9) == 4);
  CHECK(ir_version_for(12) == 7);
  CHECK(ir_version_for(15) == 8);
  CHECK(ir_version_for(19) == 9);
  CHECK(ir_version_for(25) == 13);
  CHECK(ir_version_for(28) == 14);
  CHECK(ir_version_for(99) == onnx::Version::IR_VERSION);
}

TEST_CASE("loops and ifs pass the checker at every opset") {
  for (int opset = 7; opset <= newest_opset(); ++opset) {
    CAPTURE(opset);
    Bench b(opset);
    auto op = b.context();
    const Value x = b.input("x", Dtype::float32, {"1", "4"});
    const Value c = b.input("c", Dtype::bool_, {});
    const Values loop = op.loop(5, c, {x}, [&](Value iteration, const Values& carried) {
      const Value longer = op.node("Concat", {carried[0], x}, {Attr("axis", 0)}, 1)[0];
      const Value half = op.node("Mul", {longer, 0.5}, {}, 1)[0];
      const Value step = op.node("Cast", {iteration}, {Attr("to", Dtype::float32)}, 1)[0];
      return LoopIteration{{}, {half}, {op.node("Add", {x, step}, {}, 1)[0]}};
    });
    const Values chosen = op.if_else(
        c,
        [&] {
          return Values{loop[0], x};
        },
        [&] {
          return Values{op.node("Relu", {loop[0]}, {}, 1)[0], x};
        });
    b.emitter.add_output(chosen[0], "chosen");
    b.emitter.add_output(chosen[1], "same");
    b.emitter.add_output(loop[1], "collected");
    b.emitter.add_output(x, "input");
    run_passes(b.model);
    const auto proto = parse(onnx_bytes(b.model));
    CHECK_NOTHROW(onnx::checker::check_model(proto, true));
  }
}

TEST_CASE("names of nodes are unique, also in bodies, and no names of values") {
  Bench b;
  auto op = b.context();
  const Value x = b.input("x", Dtype::float32, {"2"});
  const Value y = op.node("Relu", {x}, {}, 1)[0];
  const Values result = op.loop(3, {}, {y}, [&](Value, const Values& carried) {
    return LoopIteration{{}, {op.node("Relu", {carried[0]}, {}, 1)[0]}, {}};
  });
  b.emitter.add_output(op.node("Relu", {result[0]}, {}, 1)[0], "out");
  const onnx::ModelProto proto = parse(onnx_bytes(b.model, {}));
  std::vector<std::string> nodes, values;
  const std::function<void(const onnx::GraphProto&)> collect = [&](const onnx::GraphProto& graph) {
    for (const auto& node : graph.node()) {
      nodes.push_back(node.name());
      values.insert(values.end(), node.output().begin(), node.output().end());
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) collect(attribute.g());
      }
    }
  };
  collect(proto.graph());
  CHECK(nodes.size() > 3);
  for (const std::string& name : nodes) {
    CHECK(std::count(nodes.begin(), nodes.end(), name) == 1);
    CHECK(std::count(values.begin(), values.end(), name) == 0);
  }
}

TEST_CASE("a model that ONNX rejects is not written") {
  TemporaryFolder folder;
  Bench b;
  fill(&b);
  Node node;
  node.op_type = "Relu";
  node.inputs = {b.model.main().inputs[0], b.model.main().inputs[0]};
  node.outputs = {b.model.new_value("bad")};
  b.model.add_node(node);
  CHECK_THROWS_AS(write_onnx(b.model, folder / "m.onnx"), Error);
  CHECK(folder.files().empty());
}

TEST_CASE("nodes are checked one by one as ONNX checks a model") {
  TemporaryFolder folder;
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"2", "3"});
  const Value y = b.emitter.emit_one("Relu", {x});
  const Value z = b.emitter.emit_one("Concat", {x, y}, {Attr("axis", 0)});
  b.emitter.add_output(z, "z");
  auto& nodes = b.model.main().nodes;
  Node& concat = b.model.node(nodes[1]);
  std::string why;
  SUBCASE("a value is read before it is computed") {
    std::swap(nodes[0], nodes[1]);
    why = "is read before it is computed";
  }
  SUBCASE("nothing computes an output") {
    nodes.pop_back();
    why = "output 'z' has no producer";
  }
  SUBCASE("an attribute is missing") {
    concat.attributes = {};
    why = "axis";
  }
  SUBCASE("an attribute that the operator does not have") {
    concat.attributes.push_back(*concat.attributes.begin());
    concat.attributes.edit()[1].set_name("axes");
    why = "axes";
  }
  SUBCASE("shapes that do not fit") {
    concat.attributes.edit()[0].set_i(7);
    why = "axis";
  }
  SUBCASE("dtypes that do not fit") {
    concat.inputs[1] = b.input("whole", Dtype::int64, {"2", "3"});
    why = "type";
  }
  SUBCASE("an output is not what is declared") {
    b.model.set_type(z, tensor_type(Dtype::float32, Ints{5, 3}));
    why = "5";
  }
  SUBCASE("an output of another dtype") {
    b.model.set_type(z, tensor_type(Dtype::float64, Ints{4, 3}));
    why = "";
  }
  try {
    write_onnx(b.model, folder / "m.onnx");
    FAIL("was written");
  } catch (const Error& e) {
    CHECK(e.code() == E_CHECK);
    CHECK_MESSAGE(e.message().find(why) != std::string::npos, e.message());
  }
  CHECK(folder.files().empty());
}

TEST_CASE("an output without a rank passes our check") {
  Bench b;
  const Value x = b.model.add_input("x", tensor_type(Dtype::float32, Ints{2, 3}));
  const Value s = b.input("s", Dtype::int64, {"?"});
  b.emitter.add_output(b.emitter.emit_one("Reshape", {x, s}), "out");
  CHECK_NOTHROW(onnx_bytes(b.model));
}

TEST_CASE("ranks that ONNX's inference does not find are declared") {
  constexpr int kOpset = 13;
  for (const bool nested : {false, true}) {  // nested graphs are checked as a whole
    CAPTURE(nested);
    Bench b(kOpset);
    const Value x = b.input("x", Dtype::float32, {"N", "12"});
    const Value c = b.input("c", Dtype::bool_, {});
    const Value rows = b.emitter.emit_one("Slice", {b.emitter.emit_one("Shape", {x}), ints(&b, {0}), ints(&b, {1})});
    const Value sizes = b.emitter.emit_one("Concat", {rows, ints(&b, {3, 4})}, {Attr("axis", 0)});
    Value y = b.emitter.emit_one("Relu", {b.emitter.emit_one("Reshape", {x, sizes})});
    auto op = b.context();
    if (nested)
      y = op.if_else(
          c, [&] { return Values{y}; }, [&] { return Values{op.node("Neg", {y}, {}, 1)[0]}; })[0];
    b.emitter.add_output(b.emitter.emit_one("Size", {y}), "out");
    const auto proto = parse(onnx_bytes(b.model));
    CHECK_NOTHROW(onnx::checker::check_model(proto, true));
    REQUIRE(proto.graph().value_info_size() >= 1);
    const auto& declared = proto.graph().value_info(0);
    constexpr int kReshape = 3;
    CHECK(declared.name() == proto.graph().node(kReshape).output(0));
    CHECK(proto.graph().node(kReshape).op_type() == "Reshape");
    CHECK(declared.type().tensor_type().elem_type() == onnx::TensorProto::FLOAT);
    const auto& shape = declared.type().tensor_type().shape();
    REQUIRE(shape.dim_size() == 3);
    if (!nested) CHECK(proto.graph().value_info_size() == 1);  // inference finds the others
  }
}

TEST_CASE("files") {
  TemporaryFolder folder;
  Bench b;
  fill(&b);
  SUBCASE("inline") {
    const auto result = write_onnx(b.model, folder / "m.onnx");
    CHECK(folder.files() == std::vector<std::string>{"m.onnx"});
    CHECK(result.model_bytes == fs::file_size(folder / "m.onnx"));
    CHECK_NOTHROW(onnx::checker::check_model(folder / "m.onnx", true));
    CHECK((fs::status(folder / "m.onnx").permissions() & fs::perms::owner_read) != fs::perms::none);
  }
  SUBCASE("external by wish, and when it is too large") {
    WriteOptions options;
    SUBCASE("by wish") { options.weights = Weights::external; }
    SUBCASE("too large") { options.most_inline_bytes = 2000; }
    const auto result = write_onnx(b.model, folder / "m.onnx", options);
    CHECK(folder.files() == std::vector<std::string>{"m.onnx", "m.onnx.data"});
    CHECK(result.data_bytes == 2400);
    CHECK_NOTHROW(onnx::checker::check_model(folder / "m.onnx", true));
    const auto proto = parse(folder.read("m.onnx"));
    CHECK(proto.graph().initializer(0).external_data(0).value() == "m.onnx.data");
    CHECK(proto.graph().initializer(1).raw_data().size() == 80);  // small ones stay
  }
  SUBCASE("too large for one file") {
    WriteOptions options;
    options.weights = Weights::inlined;
    options.most_inline_bytes = 2000;
    CHECK_THROWS_AS(write_onnx(b.model, folder / "m.onnx", options), Error);
    CHECK(folder.files().empty());
  }
  SUBCASE("an older file stays when writing fails") {
    std::ofstream(folder / "m.onnx") << "old";
    struct rlimit old;
    getrlimit(RLIMIT_FSIZE, &old);
    struct rlimit tight = old;
    tight.rlim_cur = 1000;
    const auto handler = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    CHECK_THROWS_AS(write_onnx(b.model, folder / "m.onnx"), Error);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    CHECK(folder.read("m.onnx") == "old");
    CHECK(folder.files() == std::vector<std::string>{"m.onnx"});
    write_onnx(b.model, folder / "m.onnx");
    CHECK(folder.read("m.onnx") != "old");
  }
  SUBCASE("a full disk") {
    try {
      write_onnx(b.model, "/dev/full");
      FAIL("written");
    } catch (const Error& e) {
      CHECK(e.code() == E_WRITE);
      CHECK(e.message() == "cannot write the file: No space left on device");
      CHECK(e.place() == "/dev/full");
    }
  }
  SUBCASE("paths that cannot be written") {
    CHECK_THROWS_AS(write_onnx(b.model, folder / "none/m.onnx"), Error);
    CHECK_THROWS_AS(write_onnx(b.model, folder.path()), Error);
    CHECK_THROWS_AS(write_onnx(b.model, folder / ""), Error);
    CHECK(folder.files().empty());
  }
  SUBCASE("a symbolic link stays one") {
    std::ofstream(folder / "real.onnx") << "old";
    fs::create_symlink("real.onnx", folder / "link.onnx");
    write_onnx(b.model, folder / "link.onnx");
    CHECK(fs::is_symlink(folder / "link.onnx"));
    CHECK(fs::file_size(folder / "real.onnx") > 2400);
  }
  SUBCASE("weights stand beside what a symbolic link leads to") {
    fs::create_directory(folder / "models");
    std::ofstream(folder / "models/real.onnx") << "old";
    fs::create_symlink("models/real.onnx", folder / "link.onnx");
    WriteOptions options;
    options.weights = Weights::external;
    write_onnx(b.model, folder / "link.onnx", options);
    CHECK(fs::exists(folder / "models/real.onnx.data"));
    CHECK(refers_to(folder / "models/real.onnx", "real.onnx.data"));
  }
  SUBCASE("a data file that cannot be looked at does not matter to weights inside") {
    fs::create_symlink("m.onnx.data", folder / "m.onnx.data");
    write_onnx(b.model, folder / "m.onnx");
    CHECK(fs::file_size(folder / "m.onnx") > 2400);
  }
}

TEST_CASE("a model is never seen beside the weights of another") {
  TemporaryFolder folder;
  Bench b;
  fill(&b);
  const std::string path = folder / "m.onnx", data_path = folder / "m.onnx.data";
  WriteOptions external;
  external.weights = Weights::external;
  write_onnx(b.model, path, external);
  CHECK(refers_to(path, "m.onnx.data"));
  CHECK_FALSE(refers_to(path, "n.onnx.data"));
  CHECK_FALSE(refers_to(folder / "nothing", "m.onnx.data"));
  SUBCASE("a pair replaces a pair") {
    write_onnx(b.model, path, external);
    CHECK(folder.files() == std::vector<std::string>{"m.onnx", "m.onnx.data"});
    CHECK_NOTHROW(onnx::checker::check_model(path, true));
  }
  SUBCASE("neither comes when one cannot") {
    {
      OutputFile model(path), data(data_path);
      model.finish(false);
      data.finish(false);
      fs::remove(path);
      fs::create_directories(path + "/in the way");
      CHECK_THROWS_AS(commit_model(&model, path, &data, data_path), Error);
    }
    CHECK(folder.files() == std::vector<std::string>{"m.onnx"});
  }
  SUBCASE("one file replaces a pair") {
    write_onnx(b.model, path);
    CHECK(folder.files() == std::vector<std::string>{"m.onnx"});
  }
  SUBCASE("what does not belong to the old model stays") {
    std::ofstream(path) << "a model without weights";
    write_onnx(b.model, path);
    CHECK(folder.files() == std::vector<std::string>{"m.onnx", "m.onnx.data"});
  }
}

TEST_CASE("weights go from the file they are in") {
  TemporaryFolder folder;
  std::vector<float> elements(1000);
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i) / 7;
  {
    std::ofstream file(folder / "w.bin", std::ios::binary);
    file << "odd";  // so that nothing is aligned
    file.write(reinterpret_cast<const char*>(elements.data()), 4000);
  }
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"N", "20"});
  const auto mapped = MappedFile::open(folder / "w.bin");
  const Value w = b.model.add_parameter("w", Tensor(Dtype::float32, {20, 50}, FileSlice{mapped, 3, 4000}));
  b.emitter.add_output(b.emitter.emit_one("MatMul", {x, w}), "y");
  const Value turned = b.emitter.emit_one(
      "Transpose", {b.emitter.emit_one("Reshape", {w, b.emitter.constant(Tensor::int64s({50, 20}))})});
  b.emitter.add_output(b.emitter.emit_one("MatMul", {x, turned}), "z");
  WriteOptions options;
  SUBCASE("inline") {
    write_onnx(b.model, folder / "m.onnx", options);
    const auto proto = parse(folder.read("m.onnx"));
    CHECK(proto.graph().initializer(0).raw_data() == std::string(reinterpret_cast<const char*>(elements.data()), 4000));
  }
  SUBCASE("by reference") {
    options.weights = Weights::reference;
    write_onnx(b.model, folder / "m.onnx", options);
    CHECK_NOTHROW(onnx::checker::check_model(folder / "m.onnx", true));
    const auto proto = parse(folder.read("m.onnx"));
    CHECK(proto.graph().initializer(0).external_data(0).value() == "w.bin");
    CHECK(proto.graph().initializer(0).external_data(1).value() == "3");
    fs::create_directory(folder / "sub");
    CHECK_THROWS_AS(write_onnx(b.model, folder / "sub/m.onnx", options), Error);
    fs::create_hard_link(folder / "w.bin", folder / "same.bin");
    CHECK_THROWS_AS(write_onnx(b.model, folder / "m.onnx", options), Error);
  }
}

TEST_CASE("denormal weights become 0") {
  TemporaryFolder folder;
  constexpr float kDenormal = 1e-39F, kSmallestNormal = 1.1754944e-38F;
  // More than the system maps at a time, and unaligned, so that one element is in two windows.
  std::vector<float> elements(3 << 18, kSmallestNormal);
  std::vector<float> expected = elements;
  const auto set = [&](size_t i, float before, float after) {
    elements[i] = before;
    expected[i] = after;
  };
  set(0, kDenormal, 0.0F);
  set(1, -kDenormal, -0.0F);
  set((2 << 18) - 1, kDenormal, 0.0F);
  set((2 << 18) + 1, 1e-45F, 0.0F);
  set(100, 0.0F, 0.0F);
  set(101, -0.0F, -0.0F);
  set(102, NAN, NAN);
  set(103, -INFINITY, -INFINITY);
  const auto text = [](const std::vector<float>& floats) {
    return std::string(reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float));
  };
  std::ofstream(folder / "w.bin", std::ios::binary) << "odd" << text(elements);
  const auto mapped = MappedFile::open(folder / "w.bin");
  const std::vector<float> few(8, kDenormal), some(90, kDenormal);

  Bench b;
  const auto add = [&](Tensor tensor) {
    const Value x = b.input("x", tensor.dtype(), {"1"});
    b.emitter.add_output(b.emitter.emit_one("Add", {x, b.model.add_parameter("w", std::move(tensor))}));
  };
  add(Tensor(Dtype::float32, {3 << 18}, FileSlice{mapped, 3, elements.size() * sizeof(float)}));
  add(Tensor::of(Dtype::float32, {90}, some));
  add(Tensor(Dtype::float32, {4, 100}, FileSlice{mapped, 3, 400 * sizeof(float)}));
  add(Tensor::of(Dtype::float32, {8}, few));
  add(Tensor(Dtype::int32, {200}, FileSlice{mapped, 3, 200 * sizeof(int32_t)}));
  const auto result = write_onnx(b.model, folder / "m.onnx");
  CHECK(result.denormals == 4 + 90 + 2);
  const auto proto = parse(folder.read("m.onnx"));
  const auto written = [&](int i) { return proto.graph().initializer(i).raw_data(); };
  CHECK(written(0) == text(expected));
  CHECK(written(1) == std::string(90 * sizeof(float), '\0'));
  CHECK(written(2) == text(expected).substr(0, 400 * sizeof(float)));
  CHECK(written(3) == text(few));
  CHECK(written(4) == text(elements).substr(0, 200 * sizeof(int32_t)));
}

#ifdef __linux__
namespace {

/// Resident pages of mapped files.
uint64_t mapped_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:")) return std::stoull(line.substr(8)) << 10;
  }
  return 0;
}

}  // namespace

TEST_CASE("pages of weights are given back") {
  constexpr uint64_t kWeights = 64 << 20, kWeight = 3 << 20;
  TemporaryFolder folder;
  {
    // Systems with large folios keep it in those: the longer the writes, the larger they are.
    std::ofstream file(folder / "w.bin", std::ios::binary);
    const std::string part(4 << 20, 'w');
    file << "odd";
    for (uint64_t done = 0; done < kWeights; done += part.size()) file << part;
  }
  const auto mapped = MappedFile::open(folder / "w.bin");
  Bench b;
  for (uint64_t at = 5; at + kWeight <= kWeights; at += kWeight) {
    const Tensor weight(Dtype::float32, {kWeight / 4}, FileSlice{mapped, at, kWeight});
    const Value x = b.input("x", Dtype::float32, {"1"});
    b.emitter.add_output(b.emitter.emit_one("Add", {x, b.model.add_parameter("w", weight)}));
  }
  WriteOptions options;
  SUBCASE("inline") { options.weights = Weights::inlined; }
  SUBCASE("external") { options.weights = Weights::external; }
  const uint64_t before = mapped_bytes();
  write_onnx(b.model, folder / "m.onnx", options);
  CHECK(mapped_bytes() < before + kWeights / 50);
}
#endif

#include <doctest/doctest.h>

#include "runtime/api/convert_onnx.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/runtime/to_paddle/make_graph.h"

using namespace fluid2onnx;

namespace {

using Names = std::vector<std::string>;

struct PartlyKnown : MakeGraph {
  test::TemporaryFolder folder;

  PartlyKnown() {
    file.model.set_ir_version(8);
    graph().set_name("g");
    file.model.add_opset_import()->set_version(17);
    auto* other = file.model.add_opset_import();
    other->set_domain("example");
    other->set_version(1);
  }
  void unknown(const Names& inputs, const Names& outputs) {
    node("Unknown", inputs, outputs);
    graph().mutable_node(graph().node_size() - 1)->set_domain("example");
  }
  std::string path() { return folder.write("m.onnx", file.model.SerializeAsString()); }
  Cut cut() { return inspect_onnx_file(path()).cut; }
};

}  // namespace

TEST_CASE("a cut omits the nodes that cannot be converted, and what depends on them") {
  PartlyKnown m;
  m.input("x");
  m.node("Relu", {"x"}, {"r"});
  m.node("Tanh", {"r"}, {"t"});
  m.unknown({"r"}, {"u"});
  m.node("Sigmoid", {"u"}, {"s"});
  m.output("t");
  m.output("s");
  const Cut cut = m.cut();
  CHECK(cut.outputs == Names{"r", "t"});
  CHECK(cut.operators == 2);
  ConvertOptions options;
  options.outputs = cut.outputs;
  const Report report = convert_onnx_file(m.path(), m.folder / "m.pdmodel", options);
  CHECK(report.ok);
  CHECK(report.operator_count() == 2);
}

TEST_CASE("no cut helps if the first node cannot be converted") {
  PartlyKnown m;
  m.input("x");
  m.unknown({"x"}, {"u"});
  m.node("Relu", {"u"}, {"r"});
  m.output("r");
  CHECK(m.cut().outputs.empty());
}

TEST_CASE("operators that cannot be converted are reported also if a name is not UTF-8") {
  PartlyKnown m;
  m.input("x");
  m.node("Relu", {"x"}, {"r\xff"});
  m.unknown({"r\xff"}, {"u"});
  m.output("u");
  const Report report = convert_onnx_file(m.path(), m.folder / "m.pdmodel");
  REQUIRE(report.problems.size() == 1);
  CHECK(report.problems[0].op_type == "Unknown");
}

TEST_CASE("a model that can be converted has no cut") {
  PartlyKnown m;
  m.input("x");
  m.node("Relu", {"x"}, {"r"});
  m.output("r");
  const OnnxInspection inspection = inspect_onnx_file(m.path());
  CHECK(inspection.report.ok);
  CHECK(inspection.cut.outputs.empty());
}

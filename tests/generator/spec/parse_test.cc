#include <doctest/doctest.h>

#include "tests/generator/support.h"

namespace opgen::test {
namespace {

const char* const kExamples = "examples:\n  - in: {X: \"float32[2]\"}\n";

std::vector<std::string> texts(const std::vector<Text>& list) {
  std::vector<std::string> out;
  for (const Text& text : list) out.push_back(text.text);
  return out;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("an operator with all keys") {
  const SpecSet specs = specs_of(R"(op: conv
doc: Convolution
inputs: {X: tensor, B: "tensor?", C: refused}
outputs: {Out: list}
attrs: {axis: int = -1, shape: ints, mode: string, data_format: string}
params: {shape: int_array}
ignore: {mode: it has one}
require:
  - that: axis >= 0
    else: axis is negative
    code: NEGATIVE_AXIS
layout: {data_format: [X, Out]}
let:
  n: 1
  flag: true
  pads: [0, 1]
limits: [no strings]
variants:
  - doc: One node
    opset: 13+
    when: n == 1
    let: {k: n + 1}
    require: [{that: k, else: no}]
    nodes: [Out = Conv(X)]
  - nodes:
      - Out = X
examples:
  - name: first
    in: {X: "float32[2]"}
  - in: {X: "float32[3]"}
)");
  REQUIRE(specs.ops.size() == 1);
  const OpSpec& op = specs.ops[0];
  CHECK(op.op.text == "conv");
  CHECK(op.file == "test.yaml");
  CHECK(op.doc.text == "Convolution");
  REQUIRE(op.signature.has_value());
  CHECK(op.signature->inputs[1].type.text == "tensor?");
  CHECK(op.signature->attrs[0].type.text == "int = -1");
  CHECK(op.signature->inputs[2].type.text == "tensor?");
  CHECK(texts(op.inputs) == Strings{"X", "B"});
  CHECK(texts(op.attrs) == Strings{"axis"});
  CHECK(op.params[0].name.text == "shape");
  CHECK(op.params[0].kind.text == "int_array");
  CHECK(op.ignore[0].value.text == "it has one");
  CHECK(op.require[0].that.text == "axis >= 0");
  CHECK(op.require[0].message.text == "axis is negative");
  CHECK(op.require[0].code.text == "NEGATIVE_AXIS");
  CHECK(op.layout.text == "data_format");
  CHECK(texts(op.layout_names) == Strings{"X", "Out"});
  REQUIRE(op.let.size() == 3);
  CHECK(op.let[1].value.text == "true");
  CHECK(op.let[2].value.text == "[0, 1]");
  CHECK(covered(op.let[2].value.span) == "[0, 1]");
  CHECK(texts(op.limits) == Strings{"no strings"});
  REQUIRE(op.variants.size() == 2);
  CHECK(op.variants[0].doc.text == "One node");
  CHECK(op.variants[0].opset.text == "13+");
  CHECK(op.variants[0].when.text == "n == 1");
  CHECK(op.variants[0].let[0].name.text == "k");
  CHECK(op.variants[0].require.size() == 1);
  CHECK(op.variants[0].nodes[0].text.text == "Out = Conv(X)");
  CHECK(covered(op.variants[1].span) == "nodes");
  REQUIRE(op.examples.size() == 2);
  CHECK(op.examples[0].name.text == "first");
  CHECK(op.examples[1].number == 1);
  CHECK(op.row.empty());
}

TEST_CASE("every form of statement") {
  const SpecSet specs = specs_of(std::string(R"yaml(op: relu
doc: Fine
nodes:
  - if: a > 0
    then: [b = 1]
    else:
      - b = 2
      - c = 3
  - for: i, x in enumerate(list)
    nodes: [y = x]
  - require:
      - that: rank(X) == 4
        else: "rank is {rank(X)}"
        code: NEEDS_RANK
  - loop: [s, t]
    for: i in n
    while: s > 0
    outputs: [u]
    nodes: [s = t]
  - lod: {Out: "[a]", Y: "[b]"}
  - "Out = Foo(X, mode=\"a: b\")"
)yaml") + kExamples);
  const Statements& nodes = specs.ops.at(0).variants.at(0).nodes;
  REQUIRE(nodes.size() == 7);
  CHECK(nodes[0].kind == Statement::Kind::if_);
  CHECK(nodes[0].text.text == "a > 0");
  CHECK(nodes[0].body.size() == 1);
  CHECK(nodes[0].otherwise.size() == 2);
  CHECK(nodes[1].kind == Statement::Kind::for_);
  CHECK(nodes[1].text.text == "i, x in enumerate(list)");
  CHECK(nodes[2].kind == Statement::Kind::require);
  CHECK(nodes[2].require_list.at(0).message.text == "rank is {rank(X)}");
  CHECK(nodes[2].require_list.at(0).code.text == "NEEDS_RANK");
  CHECK(nodes[3].kind == Statement::Kind::loop);
  CHECK(texts(nodes[3].names) == Strings{"s", "t"});
  CHECK(texts(nodes[3].scan_outputs) == Strings{"u"});
  CHECK(nodes[3].trips.text == "i in n");
  CHECK(nodes[3].text.text == "s > 0");
  CHECK(nodes[4].kind == Statement::Kind::lod);
  CHECK(texts(nodes[4].names) == Strings{"Out"});
  CHECK(nodes[5].text.text == "[b]");
  CHECK(nodes[6].kind == Statement::Kind::assign);
  CHECK(nodes[6].text.text == "Out = Foo(X, mode=\"a: b\")");
}

TEST_CASE("a loop may have no state") {
  const SpecSet specs = specs_of(std::string("op: relu\ndoc: Fine\nnodes:\n  - {loop: [], for: i in n, outputs: [a], "
                                             "nodes: [a = x]}\n") +
                                 kExamples);
  CHECK(specs.ops.at(0).variants.at(0).nodes.at(0).names.empty());
}

TEST_CASE("a table can be a list of operators") {
  const SpecSet specs = specs_of(R"(for_each: [abs, ceil]
doc: Result of ${op}
nodes: [Out = Abs(X)]
examples:
  - in: {X: "float32[2]"}
  - {in: {X: "float32[3]"}, only: [ceil]}
)");
  REQUIRE(specs.ops.size() == 2);
  CHECK(specs.ops[1].op.text == "ceil");
  CHECK(specs.ops[1].doc.text == "Result of ceil");
  CHECK(specs.ops[0].examples.size() == 1);
  CHECK(specs.ops[1].examples.size() == 2);
  CHECK(covered(specs.ops[1].span) == "ceil");
}

TEST_CASE("the rows of a table become operators") {
  const SpecSet specs = specs_of(R"(for_each: {abs: Abs, ceil: Ceil}
doc: ${onnx} of ${op}
limits: ["${onnx} only"]
ignore: {mode: "no ${onnx}"}
require: [{that: a, else: "not ${op}"}]
nodes:
  - {if: a, then: [{require: [{that: b, else: "${op} again"}]}]}
  - Out = ${onnx}(X)
examples:
  - in: {X: "float32[2]"}
  - in: {X: "float32[3]"}
    only: [ceil]
)");
  REQUIRE(specs.ops.size() == 2);
  const OpSpec& abs = specs.ops[0];
  CHECK(abs.op.text == "abs");
  CHECK(covered(abs.span) == "abs");
  CHECK(abs.doc.text == "Abs of abs");
  CHECK(abs.limits[0].text == "Abs only");
  CHECK(abs.ignore[0].value.text == "no Abs");
  CHECK(abs.require[0].message.text == "not abs");
  CHECK(abs.variants[0].nodes[0].body[0].require_list.at(0).message.text == "abs again");
  CHECK(abs.variants[0].nodes[1].text.text == "Out = ${onnx}(X)");
  CHECK(abs.row.at("onnx").text == "Abs");
  CHECK(abs.row.at("op").text == "\"abs\"");
  CHECK(abs.examples.size() == 1);
  const OpSpec& ceil = specs.ops[1];
  CHECK(ceil.doc.text == "Ceil of ceil");
  CHECK(ceil.row.at("onnx").text == "Ceil");
  CHECK(ceil.examples.size() == 2);
  CHECK(ceil.examples[1].number == 1);
}

TEST_CASE("columns are written as in expressions") {
  const SpecSet specs = specs_of(std::string(R"(for_each:
  a: {onnx: Abs, low: -1.5, mode: 'x "y" \', axes: [1, 2]}
doc: ${onnx} from ${low} with ${mode} along ${axes}
nodes: [Out = X]
)") + kExamples);
  REQUIRE(specs.ops.size() == 1);
  CHECK(specs.ops[0].doc.text == "Abs from -1.5 with x \"y\" \\ along [1, 2]");
  CHECK(specs.ops[0].row.at("low").text == "-1.5");
  CHECK(specs.ops[0].row.at("mode").text == R"("x \"y\" \\")");
  CHECK(specs.ops[0].row.at("axes").text == "[1, 2]");
}

TEST_CASE("columns have types") {
  const SpecSet specs = specs_of(std::string(R"(for_each:
  a: {node: Softmax@11, low: 1, flip: true, kind: int8, mode: "x", axes: [1]}
  b: {node: Abs, low: 0.5, flip: false, kind: bool, mode: "y", axes: []}
doc: Typed
nodes: [Out = X]
)") + kExamples);
  REQUIRE(specs.ops.size() == 2);
  const Row& row = specs.ops[0].row;
  CHECK(row.at("node").kind == Cell::Kind::name);
  CHECK(row.at("low").kind == Cell::Kind::number);
  CHECK(row.at("low").text == "1.0");
  CHECK(row.at("flip").kind == Cell::Kind::truth);
  CHECK(row.at("kind").kind == Cell::Kind::dtype);
  CHECK(row.at("mode").kind == Cell::Kind::text);
  CHECK(row.at("axes").kind == Cell::Kind::list);
  CHECK(row.at("op").kind == Cell::Kind::text);
}

TEST_CASE("a native operator needs no examples") {
  const SpecSet specs = specs_of("op: while\ndoc: Repeats a block\nnative: while_loop\nwhy: it has a block\n");
  CHECK(specs.ops.at(0).native.text == "while_loop");
  CHECK(specs.ops.at(0).why.text == "it has a block");
}

TEST_CASE("functions in each form") {
  const SpecSet specs = specs_of(R"(
- function: "twice(X: tensor) -> Y: tensor"
  doc: Adds a tensor to itself
  let: {n: 2}
  require: [{that: n, else: no}]
  is: X + X
- function: "other(X: tensor) -> Y: tensor"
  doc: Copies
  nodes: [Y = X]
- function: "third(X: tensor) -> Y: tensor"
  doc: Copies
  variants: [{when: a, nodes: [Y = X]}, {nodes: [Y = X]}]
)");
  REQUIRE(specs.functions.size() == 3);
  CHECK(specs.functions[0].head.text == "twice(X: tensor) -> Y: tensor");
  CHECK(specs.functions[0].is.text == "X + X");
  CHECK(specs.functions[0].let.size() == 1);
  CHECK(specs.functions[0].require.size() == 1);
  CHECK(specs.functions[1].variants.size() == 1);
  CHECK(specs.functions[2].variants.size() == 2);
  CHECK_FALSE(specs.functions[0].broken);
}

TEST_CASE("a broken function keeps its head, a broken operator is left out") {
  Diagnostics diagnostics;
  SpecSet specs;
  read_spec_file(source("- function: \"f() -> Y: tensor\"\n  doc: Fine\n  iss: X\n- op: relu\n"), specs, diagnostics);
  CHECK(diagnostics.has_errors());
  CHECK(specs.ops.empty());
  REQUIRE(specs.functions.size() == 1);
  CHECK(specs.functions[0].broken);
  CHECK(specs.functions[0].head.text == "f() -> Y: tensor");
}

TEST_CASE("a formula may begin in lower case") {
  CHECK(specs_of(std::string("op: relu\ndoc: x * max(x, 0)\nnodes: [Out = X]\n") + kExamples).ops.size() == 1);
}

TEST_CASE("the committed specs can be read") {
  Diagnostics diagnostics;
  const SpecSet specs = read_specs(repository("opspecs"), OPGEN_SOURCE_DIR, diagnostics);
  diagnostics.sort();
  CHECK_MESSAGE(!diagnostics.has_errors(), format_text(diagnostics));
  REQUIRE_FALSE(specs.ops.empty());
  CHECK(specs.ops.front().file.rfind("opspecs/", 0) == 0);
  for (size_t i = 1; i < specs.ops.size(); ++i) CHECK(specs.ops[i - 1].op.text < specs.ops[i].op.text);
}

}  // namespace opgen::test

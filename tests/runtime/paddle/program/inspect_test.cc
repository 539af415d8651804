#include "runtime/paddle/program/inspect.h"

#include <nlohmann/json.hpp>

#include "runtime/paddle/read/open_model.h"
#include "runtime/support/json_text.h"
#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx {
namespace {

TEST_CASE("the text for people") {
  const std::string path = test::sample("while_loop/model.pdmodel");
  const Program program = open_model(path);
  CHECK(describe_text(program) == path +
                                      ": ProgramDesc, Paddle 2.6.2\n"
                                      "\n"
                                      "inputs (2)\n"
                                      "  x: float32[?, 4]\n"
                                      "  n: int64[1]\n"
                                      "\n"
                                      "outputs (1)\n"
                                      "  save_infer_model/scale_0.tmp_0: float32[?, 4]\n"
                                      "\n"
                                      "parameters: 2, 80 B in " +
                                      test::sample("while_loop/model.pdiparams") +
                                      "\n"
                                      "\n"
                                      "blocks (2)\n"
                                      "  0: 4 ops\n"
                                      "  1: 8 ops, in block 0\n"
                                      "\n"
                                      "ops (12)\n"
                                      "     3  assign\n"
                                      "     2  less_than\n"
                                      "     2  scale\n"
                                      "     1  elementwise_add\n"
                                      "     1  fill_constant\n"
                                      "     1  matmul_v2\n"
                                      "     1  tanh\n"
                                      "     1  while\n");
}

TEST_CASE("the JSON for programs") {
  const nlohmann::json json = describe_json(open_model(test::sample("while_loop")));
  CHECK(json["version"] == "2.6.2");
  CHECK(json["inputs"][0] ==
        nlohmann::json{{"name", "x"}, {"dtype", "float32"}, {"shape", {nullptr, 4}}, {"lod_level", 0}});
  CHECK(json["parameters"] == nlohmann::json{{"count", 2}, {"bytes", 80}});
  CHECK(json["ops"]["assign"] == 3);
  CHECK(json["blocks"][1]["parent"] == 0);

  OpenOptions options;
  options.load_parameters = false;
  const Program bare = open_model(test::sample("while_loop"), options);
  CHECK(describe_json(bare)["parameters"].is_null());
  CHECK(describe_text(bare).find("parameters: not loaded") != std::string::npos);
}

TEST_CASE("names that are not UTF-8 don't break the JSON") {
  test::ProgramBuilder builder;
  builder.var("\xff");
  builder.feed("\xff");
  builder.fetch("\xff");
  CHECK(json_text(describe_json(builder.read())).find("\xef\xbf\xbd") != std::string::npos);
}

}  // namespace
}  // namespace fluid2onnx

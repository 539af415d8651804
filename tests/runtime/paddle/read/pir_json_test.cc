// The JSON of Paddle 3's programs, apart from types and attributes.
#include "runtime/paddle/read/pir_json.h"

#include <nlohmann/json.hpp>

#include "runtime/support/limits.h"
#include "tests/runtime/paddle/read/pir_programs.h"

namespace fluid2onnx::test::pir {
namespace {

/// {"#": "p", ...}
json parameter(const json& name, const json& flags = List{1}) {
  return {{"#", "p"}, {"O", {{"%", 1}, {"TT", tensor()}}}, {"A", List{0, 0, 1, name}}, {"OA", flags}};
}

json strings(const std::vector<std::string>& texts) {
  json list = json::array();
  for (const std::string& text : texts) list.push_back({{"#", "0.a_str"}, {"D", text}});
  return list;
}

}  // namespace

TEST_CASE("which parameters are on disk") {
  const auto persistable = [](const json& one) {
    return read({one, fetch(1)}).find_variable(0, one["A"][3].get<std::string>())->persistable;
  };
  CHECK(persistable(parameter("w")));
  CHECK(persistable(parameter("w", List{true, false})));
  CHECK_FALSE(persistable(parameter("w", List{false})));
  CHECK_FALSE(persistable(parameter("w", List{0})));
  // Without the flag, the name decides.
  for (const json& none : {json::array(), json(3)}) {
    CHECK(persistable(parameter("w", none)));
    CHECK_FALSE(persistable(parameter("w__non_persistable", none)));
  }
  json without = parameter("w");
  without.erase("OA");
  CHECK(persistable(without));
}

TEST_CASE("parameters of another form") {
  const std::string place = "block 0, op 0 'p'";
  expect_bad({parameter("")}, place, "a parameter without a name");
  expect_bad({parameter(3)}, place, "expected a string, not number");
  expect_bad({parameter("w", List{"x"})}, place, "expected an integer, not string");
  json without = parameter("w");
  without.erase("O");
  expect_bad({without}, place, "member 'O' is missing");
  without = parameter("w");
  without["A"] = 3;
  expect_bad({without}, place, "'A' is number, expected an array");
  expect_bad({op("0.parameter", {}, {{1, tensor()}})}, "block 0, op 0 'builtin.parameter'",
             "a parameter must have the short form 'p'");
}

TEST_CASE("operators of another form") {
  const std::string place = "block 0, op 1 'pd_op.relu'";
  const auto changed = [](const char* member, const json& value) {
    json relu = op("1.relu", {1}, {{2, tensor()}});
    relu[member] = value;
    return List{data("x", 1), relu};
  };
  expect_bad(changed("I", List{3}), place, "expected an object, not number");
  expect_bad(changed("O", 3), place, "'O' is number, expected an array");
  expect_bad(changed("O", List{json{{"%", 2}}}), place, "member 'TT' is missing");
  expect_bad(changed("A", 3), place, "'A' is number, expected an array");
  expect_bad(changed("A", List{json{{"N", "a"}}}), place, "attribute 'a': member 'AT' is missing");
  expect_bad(changed("A", List{json{{"AT", 3}}}), place, "member 'N' is missing");
  expect_bad(changed("regions", 3), place, "'regions' is number, expected an array");
  expect_bad(changed("regions", List{3}), place, "expected an object, not number");
  expect_bad(changed("regions", List{json{{"blocks", List{}}}}), place, "a region of 0 blocks, expected 1");
  json block{{"args", 3}, {"ops", List{}}};
  expect_bad(changed("regions", List{json{{"blocks", List{block}}}}), place, "'args' is number, expected an array");
  block["args"] = List{json{{"#", 3}}};
  expect_bad(changed("regions", List{json{{"blocks", List{block}}}}), place, "member 'TT' is missing");
  block = {{"ops", List{3}}};
  expect_bad(changed("regions", List{json{{"blocks", List{block}}}}), "a block of " + place + ", op 0",
             "expected an object, not number");
  expect_bad({op(std::string(limits::kNameBytes + 1, 'x').c_str(), {}, {})}, "block 0, op 0",
             "a name has 65537 bytes, expected at most 65536");
}

TEST_CASE("a block of a region needs no list of arguments") {
  json plain = region({op("2.yield", {1}, {})});
  plain["blocks"][0].erase("args");
  json branch = op("1.if", {1}, {{2, tensor({}, "0.t_bool")}});
  branch["regions"] = List{plain, plain};
  CHECK(read({data("c", 1, tensor({}, "0.t_bool")), branch, fetch(2)}).blocks.size() == 3);
}

TEST_CASE("operators must be in lists") {
  const auto message = [](const std::string& program) {
    return error_of([&] { read_text(R"({"base_code":{"magic":"pir"},"program":)" + program + "}"); }).message();
  };
  const std::string input = R"({"#":"1.data","I":[],"O":[],"A":[]})";
  CHECK(message(R"({"regions":[{"blocks":[{"ops":{"a":3}}]}]})") == "'ops' is object, expected an array");
  CHECK(message(R"({"regions":[{"blocks":[{"ops":{"a":)" + input + "}}]}]}") == "'ops' is object, expected an array");
  CHECK(message(R"({"regions":[{"blocks":[[{"ops":[]}]]}]})") == "expected an object, not array");
  CHECK(message(R"({"regions":[{"blocks":[{}]}]})") == "member 'ops' is missing");
  CHECK(message(R"({"regions":3})") == "'regions' is number, expected an array");
  CHECK(message(R"({"regions":[{"blocks":[{"ops":[]}, {"ops":[]}]}]})") ==
        "'ops' comes twice, expected one program with one block");
  CHECK(message(R"({"regions":[{"blocks":[{"ops":[]}, {}]}]})") == "a region of 2 blocks, expected 1");
}

TEST_CASE("what is no JSON is quoted, but not megabytes of it") {
  const auto error = [](const std::string& value) {
    return error_of([&] { read_text(R"({"base_code":{"magic":"pir"},"x":)" + value + "}"); });
  };
  CHECK(error("nul").message().find("invalid literal; last read: '\"x\":nul}'") != std::string::npos);
  const Error large = error('"' + std::string(1 << 20, 'x') + "\n\"");
  CHECK(large.code() == E_BAD_PROGRAM);
  CHECK(large.message().ends_with("xxx..."));
  CHECK(large.message().size() < 300);
  CHECK(error("1e999").message() == "not JSON: number overflow parsing '1e999'");
  CHECK(error("[1,]").place().ends_with("m.json: byte 36"));
}

TEST_CASE("the line of the user's program that made an operator") {
  const auto source = [](const json& stack) {
    return only(read({data("x", 1), op("1.relu", {1}, {{2, tensor()}}, {attr("op_callstack", "0.a_array", stack)}),
                      fetch(2)}),
                "relu")
        .source.line();
  };
  const SourceLine line = source(strings({"  File \"net.py\", line 7, in forward", "    return relu(x)"}));
  CHECK(line.file == "net.py");
  CHECK(line.line == 7);
  CHECK(source(json::array({{{"#", "0.a_i32"}, {"D", 3}}})).file.empty());
}

}  // namespace fluid2onnx::test::pir

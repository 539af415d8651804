#include "runtime/report/problems_text.h"
#include "runtime/report/report_json.h"
#include "runtime/support/text.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace fluid2onnx;

namespace {

Problem problem(const std::string& type, int32_t index, ErrorCode code, const std::string& message) {
  Problem p;
  p.code = code;
  p.message = message;
  p.index = index;
  p.op_type = type;
  p.output = type + "_0.tmp_0";
  p.source = "net.py:" + std::to_string(index) + " in forward";
  return p;
}

}  // namespace

TEST_CASE("sizes for people") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(999) == "999 B");
  CHECK(bytes_text(1500) == "1.5 kB");
  CHECK(bytes_text(47'000'000) == "47 MB");
  CHECK(bytes_text(999'999'999) == "1.0 GB");
}

TEST_CASE("equal problems are reported together, unsupported operators first") {
  std::vector<Problem> problems{problem("relu", 1, E_DTYPE, "no float128"),
                                problem("foo", 2, E_UNSUPPORTED_OP, "operator 'foo' is not supported"),
                                problem("foo", 5, E_UNSUPPORTED_OP, "operator 'foo' is not supported")};
  problems[0].working_opset = 9;
  CHECK(problems_text(problems, 7, 0) ==
        "error: operator 'foo' is not supported [E_UNSUPPORTED_OP], 2 times\n"
        "  block 0, op 2 -> 'foo_0.tmp_0' (net.py:2 in forward)\n"
        "  block 0, op 5 -> 'foo_0.tmp_0' (net.py:5 in forward)\n"
        "error: 'relu' needs opset 9 or later (requested: 7): no float128 [E_DTYPE]\n"
        "  block 0, op 1 -> 'relu_0.tmp_0' (net.py:1 in forward)\n");
}

TEST_CASE("a message that repeats the opset is printed once") {
  Problem p = problem("erf", 1, E_OPSET, "'erf' needs opset 9 or later");
  p.working_opset = 9;
  CHECK(problems_text({p}, 7, 9) ==
        "error: 'erf' needs opset 9 or later (requested: 7) [E_OPSET]\n"
        "  block 0, op 1 -> 'erf_0.tmp_0' (net.py:1 in forward)\n"
        "hint: use --opset 9, which converts the whole model\n");
}

TEST_CASE("an operator may need more than one of its nodes") {
  Problem p = problem("resize", 1, E_OPSET, "ONNX operator 'Where' needs opset 9 or later");
  p.working_opset = 10;
  CHECK(
      problems_text({p}, 8, 0) ==
      "error: 'resize' needs opset 10 or later (requested: 8): ONNX operator 'Where' needs opset 9 or later [E_OPSET]\n"
      "  block 0, op 1 -> 'resize_0.tmp_0' (net.py:1 in forward)\n");
}

TEST_CASE("long lists of places are cut") {
  std::vector<Problem> problems;
  for (int32_t i = 0; i < 9; ++i) problems.push_back(problem("foo", i, E_UNSUPPORTED_OP, "no foo"));
  CHECK(problems_text(problems, 7, 0).find("  and 4 more\n") != std::string::npos);
}

TEST_CASE("JSON has null for what is unknown") {
  Report report;
  report.ok = false;
  report.problems = {problem("foo", 2, E_UNSUPPORTED_OP, "no foo")};
  const nlohmann::json json = report_json(report);
  CHECK(json["lowest_opset"].is_null());
  CHECK(json["output"].is_null());
  CHECK(json["errors"][0]["op"] == "foo");
  CHECK(json["errors"][0]["hint"].is_null());
  CHECK(json["errors"][0]["source"] == "net.py:2 in forward");
}

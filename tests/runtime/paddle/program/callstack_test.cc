#include "runtime/paddle/program/callstack.h"

#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx {
namespace {

TEST_CASE("the innermost frame that is not Paddle's is the user's line") {
  const SourceLine line = distill_callstack({
      "  File \"/home/user/export.py\", line 3, in <module>",
      "    main()",
      "  File \"/home/user/net.py\", line 12, in forward",
      "    return relu(x)",
      "  File \"/usr/lib/python3/site-packages/paddle/nn/functional.py\", line 9, in relu",
      "    helper.append_op(",
      "  File \"<decorator-gen-1>\", line 2, in f",
      "    pass",
  });
  CHECK(line.file == "/home/user/net.py");
  CHECK(line.to_string() == "net.py:12 in forward");
}

TEST_CASE("networks that come with Paddle count as the user's") {
  const SourceLine line = distill_callstack({
      "  File \"export.py\", line 3, in <module>",
      "  File \"/x/site-packages/paddle/vision/models/resnet.py\", line 7, in forward",
      "  File \"/x/site-packages/paddle/nn/layer.py\", line 8, in __call__",
  });
  CHECK(line.to_string() == "resnet.py:7 in forward");
}

TEST_CASE("a user's folder may be called paddle") {
  CHECK(distill_callstack({"  File \"/home/paddle/net.py\", line 1, in f"}).line == 1);
}

TEST_CASE("old files list the innermost frame first, with its source in one entry") {
  const SourceLine line = distill_callstack({
      "  File \"/x/site-packages/paddle/fluid/layers/nn.py\", line 9, in fc\n    append_op()\n",
      "  File \"net.py\", line 5, in build\n    fc(x)\n",
      "  File \"net.py\", line 50, in <module>\n    build()\n",
  });
  CHECK(line.to_string() == "net.py:5 in build");
}

TEST_CASE("anything else gives no line") {
  CHECK(distill_callstack({}).to_string().empty());
  CHECK(distill_callstack({"", "\n", "File", "  File \"a.py\"", "  File \"a.py\", line x"}).to_string().empty());
  CHECK(distill_callstack({"  File \"a.py\", line 99999999999999, in f"}).to_string().empty());
}

}  // namespace
}  // namespace fluid2onnx

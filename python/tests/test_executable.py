import json
import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import fluid2onnx
from fluid2onnx import executable

try:
    import paddle
except (ImportError, AttributeError):
    paddle = None

# Answers like the real one; what it was called with goes to the file that is "written".
FAKE = """#!{python}
import json, sys
arguments = sys.argv[1:]
out = arguments[arguments.index("-o") + 1]
if "7" in arguments:
    print(json.dumps({{"ok": False, "errors": [{{"code": "E_OPSET", "message": "needs opset 9", "lowest_opset": 9}}]}}))
    sys.stderr.write("error: needs opset 9\\n")
    sys.exit(1)
open(out, "w").write(json.dumps(arguments))
print(json.dumps({{"ok": True, "opset": 17}}))
"""


class ExecutableTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        fake = self.folder / "fake"
        fake.write_text(FAKE.format(python=sys.executable))
        fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
        patch = mock.patch.dict(os.environ, {"FLUID2ONNX": str(fake)})
        patch.start()
        self.addCleanup(patch.stop)

    def test_convert(self):
        out = self.folder / "m.onnx"
        report = fluid2onnx.convert("m.pdmodel", out, params="p", opset=17, input_shapes={"x": [None, 3]}, options=["--lod", "single"])
        self.assertEqual(report["opset"], 17)
        self.assertEqual(
            json.loads(out.read_text()),
            ["convert", "m.pdmodel", "-o", str(out), "--json", "--params", "p", "--opset", "17", "--input-shape", "x=-1,3", "--lod", "single"],
        )

    def test_precision_and_weights(self):
        out = self.folder / "m.onnx"
        fluid2onnx.convert("m", out, weights="external", precision="bfloat16", half_io=True, float32_ops=["Conv", "Gemm"], half_ops=["all"])
        self.assertEqual(
            json.loads(out.read_text())[5:],
            ["--bf16", "--half-io", "--float32-ops", "Conv,Gemm", "--half-ops", "all", "--weights", "external"],
        )
        fluid2onnx.convert("m", out, fuse=False)
        self.assertEqual(json.loads(out.read_text())[5:], ["--no-fuse"])
        with self.assertRaisesRegex(ValueError, "'float8'; expected one of 'float16', 'bfloat16'"):
            fluid2onnx.convert("m", out, precision="float8")

    def test_refusal(self):
        with self.assertRaises(fluid2onnx.ConversionError) as caught:
            fluid2onnx.convert("m.pdmodel", self.folder / "m.onnx", opset=7)
        self.assertEqual((caught.exception.code, caught.exception.lowest_opset, caught.exception.exit_status), ("E_OPSET", 9, 1))
        self.assertIn("needs opset 9", str(caught.exception))

    def test_missing(self):
        with mock.patch.dict(os.environ, {"FLUID2ONNX": "/no/such/file"}):
            self.assertRaisesRegex(fluid2onnx.MissingPackageError, "/no/such/file", executable.find)
        elsewhere = str(self.folder / "fluid2onnx" / "executable.py")  # the wheel has it beside the package
        with mock.patch.dict(os.environ, {"FLUID2ONNX": "", "PATH": ""}), mock.patch.object(executable, "__file__", elsewhere):
            self.assertRaisesRegex(fluid2onnx.MissingPackageError, "PATH", executable.find)

    @unittest.skipUnless(paddle, "needs paddlepaddle")
    def test_export(self):
        paddle.disable_static()
        layer = paddle.nn.Linear(3, 2)
        out = self.folder / "m.onnx"
        fluid2onnx.export(layer, out, [paddle.static.InputSpec([None, 3], "float32", "x")], opset=13)
        self.assertTrue(layer.training)
        arguments = json.loads(out.read_text())
        self.assertRegex(arguments[1], r"model\.(pdmodel|json)$")
        self.assertRegex(arguments[arguments.index("--params") + 1], r"model\.pdiparams$")
        self.assertRaises(fluid2onnx.ModelError, fluid2onnx.export, layer, out)

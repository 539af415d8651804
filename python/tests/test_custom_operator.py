"""An operator in C++ of the user's own, as Paddle 3 saves it: without names of its operands and results."""
import os
import tempfile
import unittest
from pathlib import Path

import fluid2onnx
from fluid2onnx import engine

MODEL = Path(__file__).resolve().parents[2] / "tests" / "data" / "custom_op" / "snake.json"
SPEC = """
op: snake_relu
doc: x + sin(alpha x)^2 / alpha + bias
inputs: {X: tensor, Bias: tensor}
outputs: {Out: tensor}
attrs: {alpha: float, mode: int, flag: bool, word: string, list: ints}
ignore: {mode: the kernel does not read it, flag: likewise, word: likewise, list: likewise}
nodes:
  - s = Sin(X * alpha)
  - Out = X + s * s / alpha + Bias
"""
# What Paddle gave for x = 0 .. 5 and y = x / 10.
PADDLE = [[1.0, 4.516146659851074, 6.853643417358398], [7.339829921722412, 10.545499801635742, 13.339071273803711]]


def available():
    return engine._module() is not None or bool(os.environ.get("FLUID2ONNX"))


@unittest.skipUnless(available() and MODEL.is_file(), "needs the module or the executable, and the sample model")
class CustomOperatorTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.spec = Path(folder.name) / "snake.yaml"
        self.spec.write_text(SPEC)

    def test_operands_are_those_of_the_signature_in_order(self):
        report = fluid2onnx.convert(MODEL, specs=[self.spec])
        self.assertEqual(report.nodes["Sin"], 1)
        try:
            import numpy
            import onnxruntime
        except ImportError:
            self.skipTest("needs ONNX Runtime")
        x = numpy.arange(6, dtype="float32").reshape(2, 3)
        session = onnxruntime.InferenceSession(report.onnx, providers=["CPUExecutionProvider"])
        inputs = dict(zip([i.name for i in session.get_inputs()], (x, x * numpy.float32(0.1))))
        numpy.testing.assert_allclose(session.run(None, inputs)[0], PADDLE, rtol=1e-6)

    def test_a_signature_with_too_few_operands_is_refused(self):
        self.spec.write_text(SPEC.replace(", Bias: tensor", "").replace("[X, Bias]", "[X]").replace(" + Bias", ""))
        with self.assertRaises(fluid2onnx.ConversionError) as caught:
            fluid2onnx.convert(MODEL, specs=[self.spec])
        self.assertIn("snake_relu(in0, in1) -> Out", str(caught.exception))

    def test_custom_node(self):
        report = fluid2onnx.convert(MODEL, custom_ops={"snake_relu": "com.example::Snake"})
        self.assertEqual(report.nodes["com.example::Snake"], 1)
        self.assertEqual([v.name for v in report.inputs], ["x", "y"])


if __name__ == "__main__":
    unittest.main()

import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

from fluid2onnx import MissingPackageError, ModelError, onnx_model, validate
from fluid2onnx.validate import AGREE, DIFFER, FAILED, USAGE, main

try:
    import onnx
    import onnxruntime  # noqa: F401
    import paddle
except (ImportError, AttributeError):
    paddle = None


class MatchInputsTest(unittest.TestCase):
    arrays = {"x": np.zeros(1), "y": np.ones(1)}

    def test_by_name_then_by_position(self):
        self.assertEqual(list(onnx_model.match_inputs(["y", "x"], self.arrays)), ["y", "x"])
        self.assertEqual(onnx_model.match_inputs(["a", "b"], self.arrays), {"a": self.arrays["x"], "b": self.arrays["y"]})
        self.assertEqual(onnx_model.match_inputs(["y"], self.arrays), {"y": self.arrays["y"]})
        self.assertRaises(ModelError, onnx_model.match_inputs, ["x", "y", "z"], self.arrays)

    def test_complex_numbers_are_pairs(self):
        fed = onnx_model.match_inputs(["x"], {"x": np.array([1 + 2j], np.complex64)})["x"]
        self.assertEqual((fed.dtype, fed.tolist()), (np.float32, [[1.0, 2.0]]))

    def test_offsets(self):
        feeds = onnx_model.match_inputs(["x", "x.lod0", "y"], self.arrays, {"x": [[0, 2, 5]]})
        self.assertEqual(feeds["x.lod0"].tolist(), [0, 2, 5])


@unittest.skipUnless(paddle, "needs paddlepaddle, onnx and onnxruntime")
class ValidateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        paddle.disable_static()
        layer = paddle.nn.Linear(3, 2)
        paddle.jit.save(layer, str(cls.folder / "model"), [paddle.static.InputSpec([None, 3], "float32", "x")])
        cls.model = next(path for path in cls.folder.iterdir() if path.suffix in (".pdmodel", ".json"))
        weight, bias = layer.weight.numpy(), layer.bias.numpy()
        cls.good, cls.bad = cls.write("good.onnx", weight, bias), cls.write("bad.onnx", weight, bias + 1)

    @classmethod
    def write(cls, name, weight, bias):
        def info(name, dims):
            return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, dims)

        tensors = [onnx.numpy_helper.from_array(weight, "w"), onnx.numpy_helper.from_array(bias, "b")]
        node = onnx.helper.make_node("Gemm", ["x", "w", "b"], ["y"])
        graph = onnx.helper.make_graph([node], "g", [info("x", ["n", 3])], [info("y", ["n", 2])], tensors)
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)
        onnx.save(model, str(cls.folder / name))
        return cls.folder / name

    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([str(self.model), *map(str, arguments)])
        return status, out.getvalue(), err.getvalue()

    def test_agreement(self):
        status, out, _ = self.run_main(self.good, "--shape", "x=4,3", "--seed", "3")
        self.assertEqual(status, AGREE)
        self.assertIn("[4,2]", out)
        self.assertIn("the outputs agree", out)

    def test_difference(self):
        status, out, _ = self.run_main(self.bad, "--json")
        self.assertEqual(status, DIFFER)
        result = json.loads(out)
        self.assertFalse(result["ok"])
        self.assertAlmostEqual(result["outputs"][0]["max_abs"], 1.0, places=4)

    def test_given_inputs(self):
        np.savez(self.folder / "in.npz", x=np.ones((5, 3), np.float32))
        status, out, _ = self.run_main(self.good, "--inputs", self.folder / "in.npz", "--json")
        self.assertEqual((status, json.loads(out)["inputs"]["x"]["shape"]), (AGREE, [5, 3]))

    def test_errors(self):
        self.assertEqual(self.run_main(self.good, "--shape", "z=1")[0], FAILED)
        self.assertEqual(self.run_main(self.folder / "none.onnx")[0], FAILED)
        self.assertRaises(ModelError, validate, self.folder / "none.pdmodel", self.good)
        with mock.patch.dict(os.environ, {"FLUID2ONNX": "/no/such/file"}):
            status, _, err = self.run_main("--opset", "13")
        self.assertEqual(status, USAGE)
        self.assertIn("/no/such/file", err)

    def test_random_inputs_repeat(self):
        first, second = (validate(self.model, self.good, seed=5).inputs["x"] for _ in range(2))
        np.testing.assert_array_equal(first, second)

    def test_missing_onnxruntime(self):
        with mock.patch.dict("sys.modules", {"onnxruntime": None}):
            self.assertRaisesRegex(MissingPackageError, "pip install onnxruntime", onnx_model.session, self.good)

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import fluid2onnx
from fluid2onnx import MissingPackageError, ModelError, layout, onnx_model, validate
from fluid2onnx import divergence, precision, roles
from fluid2onnx.inputs import OPEN_SIZES, Inputs, Role, draw, random_input
from fluid2onnx.compare import Tolerance, compare_all
from fluid2onnx.validation import _run_paddle
from fluid2onnx.validation_result import Run
from fluid2onnx.yardstick import excuse
from fluid2onnx.validate_command import AGREE, DIFFER, FAILED, USAGE, main

try:
    import onnx
    import onnxruntime  # noqa: F401
    import paddle
    from fluid2onnx.paddle_model import Feed
except (ImportError, AttributeError):
    paddle = None


def layers_output(model):
    """A variable between two operators of a program; nothing of a PIR program."""
    ops = [op for op in roles.program_ops(model) if op["outputs"]]
    names = [args[0] for op in ops[:-1] for args in op["outputs"].values()]
    return None if model.suffix == ".json" else names[0]


class RolesTest(unittest.TestCase):
    def test_role_of(self):
        def op(kind, inputs, outputs):
            return {"type": kind, "inputs": inputs, "outputs": outputs}

        ops = [
            op("cast", {"X": ["ids"]}, {"Out": ["a"]}),
            op("unsqueeze2", {"X": ["a"]}, {"Out": ["b"], "XShape": ["s"]}),
            op("lookup_table_v2", {"Ids": ["b"], "W": ["big"]}, {"Out": ["c"]}),
            op("gather", {"X": ["small"], "Index": ["a"]}, {"Out": ["d"]}),
            op("sequence_mask", {"X": ["n"]}, {"Y": ["m"]}),
        ]
        shapes = {"big": [100, 8], "small": [-1, 30]}
        self.assertEqual(roles.role_of("ids", ops, shapes.get), Role(below=30))  # of any axis of "small", which gather does not say here
        self.assertEqual(roles.role_of("n", ops, shapes.get), Role(length=True))
        self.assertEqual(roles.role_of("other", ops, shapes.get), Role())


class DivergenceTest(unittest.TestCase):
    ops = [
        {"index": 1, "type": "relu", "inputs": {"X": ["x"]}, "outputs": {"Out": ["a"]}},
        {"index": 2, "type": "top_k_v2", "inputs": {"X": ["a"]}, "outputs": {"Indices": ["i"], "Out": ["v"]}},
        {"index": 3, "type": "split", "inputs": {"X": ["v"]}, "outputs": {"Out": ["p", "q"]}},
        {"index": 4, "type": "assign", "inputs": {"X": ["q"]}, "outputs": {"Out": ["p"]}},
    ]

    def test_writer_of(self):
        self.assertEqual([divergence.writer_of(self.ops, name) for name in ("a", "q", "v")], [(1, 0), (3, 1), (2, -1)])

    def test_shared(self):
        """In the program's order; not what is written twice, nor inputs."""
        self.assertEqual(divergence._shared(self.ops, {"q", "p", "a", "x", "v"}, {"x"}), ["a", "v", "q"])


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
        feeds = onnx_model.match_inputs(["x", "x.lengths", "y"], self.arrays, {"x": [[0, 2, 5]]})
        self.assertEqual(feeds["x.lengths"].tolist(), [2, 3])


class LayoutTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_program_and_parameters(self):
        (self.folder / "net.v2.pdmodel").touch()
        program = layout.find_program(self.folder)
        self.assertEqual(program, layout.find_program(self.folder / "net.v2"))
        self.assertEqual(layout.find_parameters(program), self.folder)
        (self.folder / "net.v2.pdiparams").touch()
        self.assertEqual(layout.find_parameters(program), self.folder / "net.v2.pdiparams")
        self.assertEqual(layout.find_parameters(program, "p"), Path("p"))

    def test_none_or_many(self):
        self.assertRaisesRegex(ModelError, "no model in this folder", layout.find_program, self.folder)
        self.assertRaisesRegex(ModelError, "no such file", layout.find_program, self.folder / "none")
        for name in ("a.pdmodel", "__model__"):
            (self.folder / name).touch()
        self.assertRaisesRegex(ModelError, "__model__ and .*a.pdmodel; pass", layout.find_program, self.folder)


class HelpTest(unittest.TestCase):
    def test_without_numpy(self):
        command = [sys.executable, "-S", "-m", "fluid2onnx.validate_command", "--help"]
        folder = str(Path(layout.__file__).resolve().parents[1])
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": folder}, capture_output=True, text=True, check=True)
        self.assertIn("--input-shape", done.stdout)

    def test_function_without_numpy(self):
        code = "import fluid2onnx\ntry: fluid2onnx.validate\nexcept fluid2onnx.MissingPackageError as error: print(error)"
        folder = str(Path(layout.__file__).resolve().parents[1])
        done = subprocess.run([sys.executable, "-S", "-c", code], env={**os.environ, "PYTHONPATH": folder}, capture_output=True, text=True, check=True)
        self.assertIn("validate needs numpy: pip install", done.stdout)


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

    def test_half_precision(self):
        half = self.folder / "half.onnx"
        fluid2onnx.convert(self.model, half, precision="float16")
        self.assertEqual(precision.of_weights(half), "float16")
        self.assertEqual(precision.of_weights(self.good), "float32")
        self.assertEqual(precision.of_weights(self.model), "")
        status, out, _ = self.run_main(half)
        self.assertEqual(status, AGREE, out)
        self.assertIn("the weights are in 16 bits: tolerances are 0.01 relative and 0.01 absolute", out)
        status, out, _ = self.run_main(half, "--rtol", "1e-7", "--atol", "1e-9")
        self.assertEqual(status, DIFFER, out)
        self.assertNotIn("Paddle has float32", out)

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
        def refused(*arguments):
            status, _, err = self.run_main(*arguments)
            self.assertEqual((status, err.count("\n")), (FAILED, 1), err)
            return err

        self.assertIn("its inputs are x", refused(self.good, "--shape", "z=1"))
        self.assertIn("none.onnx: no such file", refused(self.folder / "none.onnx"))
        self.assertIn("a folder", refused(self.folder))
        self.assertIn("not an ONNX model", refused(self.model))
        self.assertIn("'x' is [2, 4], but the ONNX model takes [n, 3]", refused(self.good, "--input-shape", "x=2,4"))
        self.assertIn("has 2 dims in the program, but 1 are given", refused(self.good, "--shape", "x=3"))
        self.assertIn("not a .npz file", refused(self.good, "--inputs", self.model))
        self.assertIn("no such file", refused(self.good, "--inputs", self.folder / "none.npz").lower())
        np.savez(self.folder / "wide.npz", x=np.ones((5, 3)))
        self.assertIn("'x' is float64, but the model takes float32", refused(self.good, "--inputs", self.folder / "wide.npz"))
        for shape in ("x=0,3", "x=-5,3", "x=3b,3", "3"):
            with self.subTest(shape=shape), self.assertRaises(SystemExit):
                self.run_main(self.good, "--input-shape", shape)
        self.assertRaises(ModelError, validate, self.folder / "none.pdmodel", self.good)
        with mock.patch.dict(os.environ, {"FLUID2ONNX": "/no/such/file"}):
            status, _, err = self.run_main("--opset", "13")
        self.assertEqual(status, USAGE)
        self.assertIn("/no/such/file", err)

    def test_newer_than_onnxruntime(self):
        model = onnx.load(str(self.good))
        for ir, opset in [(13, 27), (14, 28)]:
            model.ir_version, model.opset_import[0].version = ir, opset
            onnx.save(model, str(self.folder / "new.onnx"))
            status, _, err = self.run_main(self.folder / "new.onnx")
            self.assertEqual(status, FAILED)
            self.assertRegex(err, "too new for ONNX Runtime .*, which (stops at opset|reads IR versions)")

    def test_open_dims(self):
        fixed = self.folder / "fixed.onnx"
        model = onnx.load(str(self.good))
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 4
        model.graph.output[0].type.tensor_type.shape.dim[0].dim_value = 4
        onnx.save(model, str(fixed))
        self.assertIn("[4,2]", self.run_main(fixed)[1])
        self.assertRegex(self.run_main(self.good, "--input-shape", "x=batch,3")[1], r"(?s)\[1,2\].*\[2,2\]")
        self.assertNotIn("[2,2]", self.run_main(self.good, "--sizes", "1")[1])

    def test_sizes_that_fit_are_found(self):
        class Picky:
            feeds = [Feed("x", "float32", [-1, 3, -1, -1])]
            seen = []

            def run(self, arrays, lod):
                self.seen.append(arrays["x"].shape)
                if arrays["x"].shape[2] < 100:
                    raise ModelError("too small")
                return []

        picky = Picky()

        def drawn(sizes):
            return draw(picky.feeds, Inputs(), {}, {}, 0, sizes)

        self.assertEqual(_run_paddle(picky.run, drawn, OPEN_SIZES, [])[0].arrays["x"].shape, (1, 3, 224, 224))
        self.assertEqual(picky.seen, [(1, 3, 64, 64), (1, 3, 224, 224)])

    def test_recorded(self):
        np.savez(self.folder / "in.npz", x=np.ones((5, 3), np.float32))
        good = self.folder / "recorded.npz"
        self.assertEqual(self.run_main(self.good, "--record", good, "--seed", "7")[0], AGREE)
        arguments = ("--inputs", self.folder / "recorded.inputs.npz", "--expected", good)
        with mock.patch.dict("sys.modules", {"paddle": None, "fluid2onnx.paddle_model": None}):
            status, out, _ = self.run_main(self.good, *arguments)
            self.assertEqual((status, "agree with the recorded outputs" in out), (AGREE, True))
            status, out, _ = self.run_main(self.bad, *arguments)
            self.assertEqual(status, DIFFER)
        np.savez(self.folder / "other.npz", nothing=np.ones(1), more=np.ones(1))
        status, _, err = self.run_main(self.good, "--inputs", self.folder / "in.npz", "--expected", self.folder / "other.npz")
        self.assertEqual((status, "has no output 'nothing'" in err), (FAILED, True))
        for wrong in (("--expected", good), (*arguments, "--record", "x.npz")):
            with self.subTest(wrong=wrong), self.assertRaises(SystemExit):
                self.run_main(self.good, *wrong)

    def test_first_difference(self):
        """A weight in the middle is spoilt: the operator that reads it is named, with the line of Python."""
        paddle.disable_static()
        net = paddle.nn.Sequential(*[layer for _ in range(3) for layer in (paddle.nn.Linear(4, 4), paddle.nn.Tanh())])
        prefix = self.folder / "deep"
        paddle.jit.save(net, str(prefix), [paddle.static.InputSpec([None, 4], "float32", "x")])
        fluid2onnx.convert(prefix, self.folder / "deep.onnx")
        model = onnx.load(str(self.folder / "deep.onnx"))
        gemms = [node for node in model.graph.node if node.op_type == "Gemm"]
        self.assertEqual(len(gemms), 3)
        spoilt = next(tensor for tensor in model.graph.initializer if tensor.name == gemms[1].input[1])
        spoilt.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(spoilt) + 1, spoilt.name))
        onnx.save(model, str(self.folder / "spoilt.onnx"))
        result = validate(prefix, self.folder / "spoilt.onnx")
        self.assertFalse(result.ok)
        self.assertIn(f"first difference: variable {gemms[1].output[0]}", result.divergence)
        self.assertRegex(result.divergence, r"of op \d+ '(elementwise_add|matmul_v2)'.*; [1-9]\d* earlier variables agree")
        self.assertIn(gemms[1].output[0], validate(prefix, self.folder / "spoilt.onnx").text())
        self.assertEqual(validate(prefix, self.folder / "spoilt.onnx", locate=False).divergence, "")

    def test_onnx_first(self):
        """An ONNX model and the program that it became."""
        back = self.folder / "back.pdmodel"
        fluid2onnx.convert(self.good, back)
        self.assertTrue(validate(self.good, back).ok)
        result = validate(self.good)
        self.assertTrue(result.ok)
        self.assertIn("agree with Paddle", result.text())
        self.assertFalse(validate(self.bad, back).ok)
        self.assertRaisesRegex(ModelError, "recorded outputs replace Paddle's", validate, self.good, inputs={}, expected={})
        model = onnx.load(str(self.good))
        model.graph.node.append(onnx.helper.make_node("Exp", ["y"], ["z"]))
        model.graph.output[0].name = "z"
        onnx.save(model, str(self.folder / "longer.onnx"))
        for names in ((), ("y",), ("z", "y")):
            cut = validate(self.folder / "longer.onnx", outputs=names)
            self.assertTrue(cut.ok, cut.text())
            self.assertEqual([item.name for item in cut.outputs], list(names or "z"))

    def test_what_paddle_reads_in_its_own_way(self):
        """Integers beyond float64's, and capital letters of einsum."""
        helper, file = onnx.helper, self.folder / "own.onnx"

        def save(nodes, inputs, output, weights):
            graph = helper.make_graph(nodes, "g", inputs, [output], weights)
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(file))
            return fluid2onnx.validate(file)

        integers = [helper.make_tensor_value_info(name, onnx.TensorProto.INT64, [2]) for name in ("x", "y")]
        large = onnx.numpy_helper.from_array(np.array(2**53 + 1), "large")
        found = save([helper.make_node("Sub", ["x", "large"], ["y"])], integers[:1], integers[1], [large])
        self.assertTrue(found.ok, found.text())
        floats = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2, 2]) for name in ("x", "y")]
        found = save([helper.make_node("Einsum", ["x", "x"], ["y"], equation="aB,Bc->ac")], floats[:1], floats[1], [])
        self.assertTrue(found.ok, found.text())

    def test_cut(self):
        cut = layers_output(self.model)
        if cut is None:
            self.skipTest("a PIR program")
        fluid2onnx.convert(self.model, self.folder / "cut.onnx", outputs=[cut])
        self.assertTrue(validate(self.model, self.folder / "cut.onnx", outputs=[cut]).ok)
        self.assertTrue(validate(self.model, outputs=[cut]).ok)
        self.assertRaisesRegex(ModelError, "no variable 'nothing'", validate, self.model, self.folder / "cut.onnx", outputs=["nothing"])

    def test_paddle_is_its_own_yardstick(self):
        """A sign that the last digits decide is no difference; a wrong sign elsewhere is."""
        class Hair:
            def run(self, arrays, lod):
                return [np.sign(arrays["x"] - np.float32(0.5))]

        x = np.array([0.5, 0.9, 0.1], np.float32)
        want = Hair().run({"x": x}, {})
        for got, ok in (([-1, 1, -1], True), ([1, -1, 1], False), ([5, 1, -1], False), ([np.nan, 1, -1], False)):
            run = Run(Inputs({"x": x}), *compare_all(["y"], [np.array(got, np.float32)], want))
            excuse(run, Hair, want, Tolerance())
            self.assertEqual((not run.error, run.outputs[0].ok), (ok, ok), got)

    def test_prefix_and_folder(self):
        folder = self.folder / "copy"
        folder.mkdir()
        for file in self.folder.glob("model.*"):
            shutil.copy(file, folder)
        for model in (folder, folder / "model"):
            self.assertTrue(validate(model, self.good).ok)

    def test_random_inputs_repeat(self):
        first, second = (validate(self.model, self.good, seed=5).inputs["x"] for _ in range(2))
        np.testing.assert_array_equal(first, second)

    def test_missing_onnxruntime(self):
        with mock.patch.dict("sys.modules", {"onnxruntime": None}):
            self.assertRaisesRegex(MissingPackageError, "pip install onnxruntime", onnx_model.session, self.good)

"""The package's own functions on sample models; with the wheel's module, or the executable in FLUID2ONNX."""
import os
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import fluid2onnx
from fluid2onnx import engine, wire

SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "data" / "models"
JIT = SAMPLES / "jit"


OWN_RELU = """
op: relu
doc: Relu by another operator
inputs: [X]
outputs: [Out]
nodes:
  - Out = Max(X, 0.0)
examples:
  - in: {X: "float32[2, 3]"}
"""


def available():
    return engine._module() is not None or bool(os.environ.get("FLUID2ONNX"))


@unittest.skipUnless(available() and SAMPLES.is_dir(), "needs the module or the executable, and the sample models")
class ConvertTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_report(self):
        out = self.folder / "m.onnx"
        report = fluid2onnx.convert(JIT, out, opset=13)
        self.assertEqual((report.opset, report.output, report.onnx), (13, str(out), None))
        self.assertEqual(out.stat().st_size, report.model_bytes)
        self.assertTrue(report.inputs and report.outputs and report.nodes and report.operators)
        self.assertEqual(report["opset"], 13)

    def test_wrong_arguments_are_called_as_the_functions_do(self):
        for arguments, place in (
            ({"opset": 3}, "opset"),
            ({"input_shapes": {"imge": [1]}}, "input_shapes"),
            ({"outputs": ["nothing"]}, "outputs"),
            ({"renames": {"nothing": "x"}}, "renames"),
        ):
            with self.assertRaises(fluid2onnx.ConversionError) as caught:
                fluid2onnx.convert(JIT, **arguments)
            self.assertEqual(caught.exception.place, place)
            self.assertIn(f" {place}: ", " " + str(caught.exception))
        with self.assertRaises(fluid2onnx.ConversionError) as caught:
            fluid2onnx.convert(JIT, options=["--opset", "3"])
        self.assertEqual(caught.exception.place, "--opset")

    def test_wrong_types_of_arguments(self):
        for arguments in ({"input_shapes": {"image": 1}}, {"input_shapes": [("image", [1])]}, {"outputs": "x"}, {"specs": "x"}):
            with self.assertRaises(TypeError):
                fluid2onnx.convert(JIT, **arguments)
        for arguments in ({"weights": "nowhere"}, {"precision": "fp16"}, {"lod": "what"}):
            with self.assertRaises(ValueError):
                fluid2onnx.convert(JIT, **arguments)

    def test_saved_models_are_not_exported(self):
        for model in (None, str(JIT), JIT, b""):
            with self.assertRaisesRegex(TypeError, "convert"):
                fluid2onnx.export(model, self.folder / "m.onnx")

    def test_paths_in_bytes(self):
        out = self.folder / "m.onnx"
        fluid2onnx.convert(JIT, os.fsencode(out))
        self.assertTrue(out.exists())

    def test_in_memory_without_parameters(self):
        with self.assertRaises(fluid2onnx.ConversionError) as caught:
            fluid2onnx.convert((JIT / "model.pdmodel").read_bytes())
        self.assertEqual(caught.exception.code, "E_NO_PARAMS")
        self.assertIn("'params'", caught.exception.hint)
        self.assertNotIn("--params", str(caught.exception))

    def test_in_memory_is_what_the_file_holds(self):
        program = next(JIT.glob("*.pdmodel"))
        out = self.folder / "m.onnx"
        fluid2onnx.convert(program, out)
        report = fluid2onnx.convert(program.read_bytes(), params=program.with_suffix(".pdiparams").read_bytes())
        self.assertEqual(report.onnx, out.read_bytes())
        self.assertIsNone(report.output)

    def test_in_memory_where_there_are_no_files_in_memory(self):
        program = next(JIT.glob("*.pdmodel"))
        wanted = fluid2onnx.convert(program).onnx
        with mock.patch.object(os, "memfd_create", None, create=True):
            report = fluid2onnx.convert(program.read_bytes(), params=program.with_suffix(".pdiparams").read_bytes())
            with self.assertRaises(fluid2onnx.ConversionError) as caught:
                fluid2onnx.convert(b"no model")
        self.assertEqual(report.onnx, wanted)
        self.assertEqual(caught.exception.place, "the model in memory")

    def test_ir_version(self):
        """Version 3 lists the weights among the inputs; opsets 7 and 8 do not need it."""
        for options, version in (({"opset": 8}, 4), ({"opset": 8, "ir_version": 3}, 3), ({"opset": 17, "ir_version": 9}, 9)):
            report = fluid2onnx.convert(JIT, **options)
            graph = next(content for number, _, content in wire.fields(report.onnx) if number == 7)
            inputs = sum(number == 11 for number, _, _ in wire.fields(graph))
            self.assertEqual(report.ir_version, version)
            self.assertEqual(inputs > len(report.inputs), version == 3)
        with self.assertRaises(fluid2onnx.ConversionError) as caught:
            fluid2onnx.convert(JIT, opset=17, ir_version=3)
        self.assertEqual(caught.exception.place, "ir_version")

    def test_names(self):
        report = fluid2onnx.convert(JIT, dim_names="D", renames={fluid2onnx.inspect(JIT).outputs[0].name: "y"})
        self.assertEqual(report.outputs[0].name, "y")
        dims = [dim for port in report.inputs for dim in port.shape if isinstance(dim, str)]
        self.assertEqual(dims, [f"D.{i}" for i in range(len(dims))])
        self.assertTrue(dims)

    def test_specs(self):
        spec = self.folder / "relu.yaml"
        spec.write_text(OWN_RELU)
        report = fluid2onnx.convert(JIT, specs=[spec])
        self.assertIn("Max", report.nodes)
        self.assertNotIn("Relu", report.nodes)
        spec.write_text(OWN_RELU.replace("Max(", "Mex("))
        with self.assertRaises(fluid2onnx.ConversionError) as caught:
            fluid2onnx.convert(JIT, specs=[spec])
        self.assertIn("ONNX has no operator 'Mex' (did you mean 'Max'?)", str(caught.exception))
        self.assertIn("^", str(caught.exception))
        self.assertEqual(caught.exception.exit_status, 2)
        with self.assertRaises(TypeError):
            fluid2onnx.convert(JIT, specs=str(spec))
        with self.assertRaisesRegex(ValueError, r"^'\\nop: relu.*\.\.\.' is text; expected the path") as wrong:
            fluid2onnx.convert(JIT, specs=[OWN_RELU])
        self.assertLess(len(str(wrong.exception)), 150)
        spec.write_text(OWN_RELU.replace("nodes:", "require:\n  - {that: rank(X) == 17, else: the rank is not 17}\nnodes:"))
        self.assertIn("the rank is not 17", [problem.message for problem in fluid2onnx.inspect(JIT, specs=[spec]).problems])

    def test_custom_nodes(self):
        report = fluid2onnx.convert(JIT, custom_ops={"relu": "com.example::MyRelu"})
        self.assertEqual(report.nodes["com.example::MyRelu"], 1)
        self.assertEqual([(node.op, node.why) for node in report.custom_nodes], [("com.example::MyRelu", None)])
        with self.assertRaises(fluid2onnx.ConversionError):
            fluid2onnx.convert(JIT, custom_ops={"relu": "MyRelu"})

    def test_left_nodes(self):
        spec = self.folder / "relu.yaml"
        spec.write_text(OWN_RELU.replace("nodes:", "require:\n  - {that: rank(X) == 17, else: the rank is not 17}\nnodes:"))
        with self.assertRaises(fluid2onnx.ConversionError):
            fluid2onnx.convert(JIT, specs=[spec])
        report = fluid2onnx.convert(JIT, specs=[spec], continue_on_error=True)
        self.assertEqual([node.op for node in report.custom_nodes], ["paddle::relu"])
        self.assertIn("the rank is not 17", report.custom_nodes[0].why or "")
        self.assertTrue(report.onnx)

    def test_errors(self):
        with self.assertRaises(fluid2onnx.ConversionError) as caught:
            fluid2onnx.convert(self.folder / "none.pdmodel")
        error = caught.exception
        self.assertEqual((error.code, error.exit_status, error.place), ("E_NOT_FOUND", 3, str(self.folder / "none.pdmodel")))
        self.assertIn("no such file", str(error))
        self.assertNotIn(str(error.place), error.problems[0].message)
        with self.assertRaises(fluid2onnx.ConversionError) as caught:
            fluid2onnx.convert(SAMPLES / "axis_tensor", self.folder / "m.onnx", opset=10)
        error = caught.exception
        self.assertEqual((error.operator, error.exit_status), ("reduce_sum", 1))
        self.assertIn("op ", error.place)
        self.assertFalse((self.folder / "m.onnx").exists())
        with self.assertRaises(fluid2onnx.ConversionError) as caught:
            fluid2onnx.convert(SAMPLES / "tensor_array", opset=7)
        self.assertGreater(caught.exception.lowest_opset, 7)
        self.assertEqual(caught.exception.hint, f"use --opset {caught.exception.lowest_opset}, which converts the whole model")
        with self.assertRaises(fluid2onnx.ConversionError) as caught:
            fluid2onnx.convert(JIT, opset=99)
        self.assertEqual((caught.exception.code, caught.exception.exit_status), ("E_USAGE", 2))
        self.assertRaises(ValueError, fluid2onnx.convert, JIT, precision="float8")
        self.assertRaises(TypeError, fluid2onnx.convert, JIT, outputs="y")
        with self.assertRaises(fluid2onnx.ConversionError) as caught:
            fluid2onnx.convert(b"no model")
        self.assertEqual((caught.exception.code, caught.exception.place), ("E_NOT_A_MODEL", "the model in memory"))
        self.assertNotIn("/proc/", str(caught.exception))
        for function in (fluid2onnx.convert, fluid2onnx.inspect):
            self.assertRaisesRegex(TypeError, "a path or bytes, not int", function, 7)

    def test_shapes(self):
        shape = [dim if isinstance(dim, int) else 2 for dim in fluid2onnx.inspect(JIT).inputs[0].shape]
        name = fluid2onnx.inspect(JIT).inputs[0].name
        for dims in (shape, tuple(shape), ",".join(map(str, shape)), ", ".join(map(str, shape))):
            self.assertEqual(fluid2onnx.convert(JIT, input_shapes={name: dims}).inputs[0].shape, shape)
            self.assertTrue(fluid2onnx.inspect(JIT, input_shapes={name: dims}).convertible)
        self.assertRaisesRegex(ValueError, "'0' in '0,3' is not a dimension", fluid2onnx.convert, JIT, input_shapes={name: "0,3"})

    def test_inspect(self):
        found = fluid2onnx.inspect(JIT)
        self.assertTrue(found.convertible and found.operators and found.inputs)
        self.assertEqual(found.problems, [])
        found = fluid2onnx.inspect(SAMPLES / "axis_tensor", opset=10)
        self.assertFalse(found.convertible)
        self.assertEqual([problem.operator for problem in found.problems], ["reduce_sum", "cumsum"])

    def test_onnx_becomes_a_program(self):
        onnx = fluid2onnx.convert(JIT).onnx
        there = self.folder / "there.onnx"
        there.write_bytes(onnx)
        report = fluid2onnx.convert(there, self.folder / "back.pdmodel", renames={"image": "picture"})
        self.assertEqual((report["to"], report.output, report.onnx), ("paddle", str(self.folder / "back.pdmodel"), None))
        self.assertEqual([(port.name, port.variable) for port in report.inputs], [("picture", "image"), ("ids", "ids")])
        in_memory = fluid2onnx.convert(onnx, renames={"image": "picture"})
        self.assertEqual(in_memory.program, (self.folder / "back.pdmodel").read_bytes())
        self.assertEqual(in_memory.params, (self.folder / "back.pdiparams").read_bytes())
        self.assertEqual((in_memory.output, in_memory.data_path), (None, None))
        again = fluid2onnx.convert(in_memory.program, params=in_memory.params)
        self.assertEqual([port.name for port in again.inputs], ["picture", "ids"])

    def test_onnx_becomes_a_program_of_paddle_3(self):
        there = self.folder / "there.onnx"
        there.write_bytes(fluid2onnx.convert(JIT).onnx)
        fluid2onnx.convert(there, self.folder / "back.pdmodel")
        params = (self.folder / "back.pdiparams").read_bytes()
        report = fluid2onnx.convert(there, self.folder / "new.json")
        self.assertEqual((report["to"], report.data_path), ("paddle", str(self.folder / "new.pdiparams")))
        self.assertEqual((self.folder / "new.pdiparams").read_bytes(), params)
        found = fluid2onnx.inspect(self.folder / "new.json")
        self.assertEqual((found.convertible, [port.name for port in found.inputs]), (True, ["image", "ids"]))
        self.assertEqual([port.name for port in fluid2onnx.convert(self.folder / "new.json").inputs], ["image", "ids"])

    def test_onnx_is_inspected_and_options_of_onnx_files_are_refused(self):
        there = self.folder / "there"  # its content tells what it is
        there.write_bytes(fluid2onnx.convert(JIT).onnx)
        found = fluid2onnx.inspect(there)
        self.assertTrue(found.convertible)
        self.assertEqual((found.format, [port.name for port in found.inputs]), ("onnx", ["image", "ids"]))
        self.assertIn("Conv", found.operators)
        for options in ({"opset": 13}, {"ir_version": 8}, {"precision": "float16"}, {"weights": "external"}, {"dim_names": "D"}, {"lod": "single"}):
            with self.assertRaises(fluid2onnx.ConversionError) as caught:
                fluid2onnx.convert(there, self.folder / "back.pdmodel", **options)
            self.assertEqual((caught.exception.code, caught.exception.exit_status), ("E_USAGE", 2))
        self.assertFalse((self.folder / "back.pdmodel").exists())

    def test_operators(self):
        known = {operator.name: operator for operator in fluid2onnx.operators()}
        self.assertGreater(len(known), 400)
        self.assertEqual(known["relu"].lowest_opset, 7)

    @unittest.skipUnless(engine._module(), "needs the module")
    def test_threads(self):
        """Others run while a model is converted."""
        done = []
        threads = [threading.Thread(target=lambda: done.append(fluid2onnx.convert(JIT).onnx)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(done), 8)
        self.assertEqual(len(set(done)), 1)


if __name__ == "__main__":
    unittest.main()

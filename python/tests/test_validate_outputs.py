"""Which outputs and inputs `validate` brings together, and what it tells where there is nothing to compare."""
import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

import numpy as np

import fluid2onnx
from fluid2onnx import ModelError, pairing, validate
from fluid2onnx.inputs import Inputs, OpenSizes, draw
from fluid2onnx.validate_command import AGREE, FAILED, main

try:
    import onnx
    import onnxruntime  # noqa: F401
    import paddle
    from fluid2onnx.paddle_model import Feed
except (ImportError, AttributeError):
    paddle = None


class MatchingTest(unittest.TestCase):
    def match(self, program, ports, within=()):
        return pairing.matching(program.split(), ports.split(), within.__contains__)

    def test_by_name_then_by_position(self):
        self.assertEqual(self.match("a b", "b a"), ["b", "a"])
        self.assertEqual(self.match("a b", "x y"), ["a", "b"])
        self.assertEqual(self.match("a b c", "x c y"), ["a", "c", "b"])
        self.assertEqual(self.match("a a", "a a_1"), ["a", "a"])

    def test_within_the_program(self):
        self.assertEqual(self.match("a b", "m", within=("m",)), ["m"])
        self.assertEqual(self.match("a b", "m b n", within=("m", "n")), ["m", "b", "n"])

    def test_too_few(self):
        """Then it is open which ones are meant: of all outputs."""
        self.assertEqual(self.match("a b c", "x"), ["a", "b", "c"])
        self.assertEqual(self.match("a", "x y"), ["a"])
        self.assertEqual(self.match("a b", "b"), ["b"])


@unittest.skipUnless(paddle, "needs paddlepaddle, onnx and onnxruntime")
class OutputsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.addClassCleanup(paddle.disable_static)

        def save(name, build):
            paddle.enable_static()
            program, startup = paddle.static.Program(), paddle.static.Program()
            with paddle.static.program_guard(program, startup):
                feeds, fetches = build()
                executor = paddle.static.Executor(paddle.CPUPlace())
                executor.run(startup)
                paddle.static.save_inference_model(str(cls.folder / name), feeds, fetches, executor, program=program)
            paddle.disable_static()
            return cls.folder / name

        def two():
            x, y = paddle.static.data("x", [None, 4]), paddle.static.data("y", [None, 2])
            hidden = paddle.tanh(paddle.static.nn.fc(x, 3))
            return [x, y], [paddle.cast(hidden > 0, "int32"), paddle.concat([hidden, y], axis=1)]

        def few():
            x = paddle.static.data("x", [None, 4])
            return [x], [paddle.masked_select(x, x > 2), paddle.exp(x)]

        cls.two, cls.few = save("two", two), save("few", few)
        cls.names = [port.name for port in fluid2onnx.inspect(cls.two).outputs]

    def converted(self, name, **options):
        path = self.folder / name
        fluid2onnx.convert(self.two, path, **options)
        return path

    def middle(self):
        """The result of tanh."""
        ops = fluid2onnx.roles.program_ops(self.two)
        return next(args[0] for op in ops if op["type"] == "tanh" for args in op["outputs"].values())

    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([*map(str, arguments)])
        return status, out.getvalue(), err.getvalue()

    def test_other_order(self):
        found = validate(self.two, self.converted("reversed.onnx", outputs=self.names[::-1]))
        self.assertTrue(found.ok, found.text())
        self.assertEqual([item.name for item in found.outputs], self.names[::-1])

    def test_fewer(self):
        found = validate(self.two, self.converted("one.onnx", outputs=self.names[1:]))
        self.assertTrue(found.ok, found.text())
        self.assertEqual(found.notes, [f"outputs of the program that the ONNX model does not have are not compared: {self.names[0]}"])

    def test_renamed(self):
        found = validate(self.two, self.converted("renamed.onnx", renames={self.names[0]: "first", self.names[1]: "second"}))
        self.assertTrue(found.ok, found.text())
        self.assertEqual([item.name for item in found.outputs], self.names)

    def test_cut_outputs(self):
        cut = [self.names[1], self.middle()]
        path = self.converted("cut.onnx", outputs=cut)
        for options in ((), ("--outputs", ",".join(cut)), ("--output", cut[0], "--output", cut[1])):
            status, out, err = self.run_main(self.two, path, *options)
            self.assertEqual((status, err), (AGREE, ""), out)
            self.assertEqual("note: the ONNX model ends within the program" in out, not options)

    def test_cut_outputs_that_differ(self):
        path = self.converted("wrong.onnx", outputs=[self.middle()])
        model = onnx.load(str(path))
        model.graph.node[-1].op_type = "Sigmoid"
        onnx.save(model, str(path))
        self.assertRegex(validate(self.two, path).divergence, "first difference: .*(?s:.)*'tanh'")

    def test_cut_inputs(self):
        path = self.converted("begin.onnx", inputs=[self.middle(), "y"])
        self.assertRaisesRegex(ModelError, rf"takes '{self.middle()}', a variable within .*its own inputs on \(x, y\)", validate, self.two, path)

    def test_cut_program_of_an_onnx_model(self):
        path, cut = self.converted("whole.onnx"), self.folder / "cut_back.pdmodel"
        value = self.middle()
        fluid2onnx.convert(path, cut, outputs=[value, self.names[0]])
        found = validate(path, cut)
        self.assertTrue(found.ok, found.text())
        self.assertEqual(found.notes, [f"the program ends within the ONNX model, with whose values it is compared: {value}"])

    def test_batch_follows(self):
        """`y` is not given, but both share the batch."""
        for options in ({"input_shapes": {"x": [5, 4]}}, {"inputs": {"x": np.ones((5, 4), np.float32)}}, {"shapes": {"x": "5,4"}}):
            found = validate(self.two, **options)
            self.assertEqual((found.ok, found.inputs["y"].shape), (True, (5, 2)), found.text())
        found = validate(self.two, self.converted("fixed.onnx", input_shapes={"x": [3, 4]}))
        self.assertEqual((found.ok, found.inputs["y"].shape), (True, (3, 2)))

    def test_batches_apart(self):
        feeds = [Feed("x", "float32", [-1, 4]), Feed("y", "float32", [-1])]
        for sizes, rows in ((OpenSizes(), 5), (OpenSizes(apart=True), 1)):
            self.assertEqual(draw(feeds, Inputs(), {"x": [5, 4]}, {}, 0, sizes).arrays["y"].shape, (rows,))

    def test_no_elements(self):
        """Selects values above 2 from values between -1 and 1."""
        status, out, _ = self.run_main(self.few)
        self.assertEqual(status, AGREE)
        name = fluid2onnx.inspect(self.few).outputs[0].name
        self.assertIn("ok (no elements to compare)", out)
        self.assertIn(f"note: no elements to compare in {name}: use --inputs", out)
        self.assertRegex(out, "agree with Paddle .*, but for those without elements")
        self.assertEqual(json.loads(self.run_main(self.few, "--json")[1])["empty"], [name])
        given = validate(self.few, inputs={"x": np.full((2, 4), 3, np.float32)})
        self.assertEqual((given.ok, given.empty, given.notes), (True, [], []), given.text())
        alone = validate(self.few, outputs=[name]).text()
        self.assertRegex(alone, "nothing was compared with Paddle .*: the outputs have no elements")
        self.assertNotIn("agree", alone)

    def test_mode(self):
        """Paddle is in the mode that it was in."""
        for switch in (paddle.disable_static, paddle.enable_static):
            switch()
            dynamic = paddle.in_dynamic_mode()
            validate(self.two, self.converted("mode.onnx"))
            self.assertEqual(paddle.in_dynamic_mode(), dynamic)
            self.assertRaises(ModelError, validate, self.two, outputs=["nothing"], onnx=self.folder / "mode.onnx")
            self.assertEqual(paddle.in_dynamic_mode(), dynamic)
        paddle.disable_static()
        spec = [paddle.static.InputSpec([None, 3], "float32", "x")]
        self.assertEqual(fluid2onnx.export(paddle.nn.Linear(3, 4), None, spec).opset, 17)

    def test_bytes(self):
        program, params = self.two.with_suffix(".pdmodel").read_bytes(), self.two.with_suffix(".pdiparams").read_bytes()
        path = self.converted("bytes.onnx")
        self.assertTrue(validate(self.two, path.read_bytes()).ok)
        self.assertTrue(validate(program, path, params=params).ok)
        self.assertTrue(validate(program, params=params).ok)
        back = fluid2onnx.convert(path)
        self.assertTrue(validate(path.read_bytes(), back.program, params=back.params).ok)

    def test_arguments(self):
        self.assertRaisesRegex(TypeError, "synonyms", validate, self.two, shapes={"x": "1,4"}, input_shapes={"x": "1,4"})
        self.assertRaisesRegex(TypeError, "not a mapping", validate, self.two, shapes=["x"])
        self.assertRaisesRegex(ValueError, "'4b' in '1,4b' is not a dimension", validate, self.two, shapes={"x": "1,4b"})
        self.assertRaisesRegex(TypeError, "path or bytes, not ModelProto; .*SerializeToString", validate, self.two, onnx.ModelProto())

    def test_custom_operators(self):
        path = self.folder / "custom.onnx"
        fluid2onnx.convert(self.two, path, custom_ops={"tanh": "com.example::MyTanh"})
        status, _, err = self.run_main(self.two, path)
        self.assertEqual(status, FAILED)
        self.assertIn("--custom-op-library FILE names a library that has the operator's kernels", err)
        wrong = self.folder / "wrong.so"
        wrong.write_bytes(b"")
        status, _, err = self.run_main(self.two, path, "--custom-op-library", wrong)
        self.assertEqual((status, "wrong.so: not a library of custom operators" in err), (FAILED, True), err)
        self.assertRaisesRegex(TypeError, "expected a list of paths", validate, self.two, path, custom_op_libraries=str(wrong))


if __name__ == "__main__":
    unittest.main()

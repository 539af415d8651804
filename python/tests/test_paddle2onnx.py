"""What scripts written for Paddle2ONNX rely on."""
import importlib.util
import io
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import fluid2onnx
import paddle2onnx_cases
from fluid2onnx import engine, wire
from fluid2onnx.compat import paddle2onnx
from fluid2onnx.compat.paddle2onnx import command, convert_to_fp16, flags, optimize

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "data" / "models"
WORDS = ("Oops", "convert failed")

try:
    import onnxruntime
except ImportError:
    onnxruntime = None
try:
    import paddle
except (ImportError, AttributeError):
    paddle = None

# Abbreviations: what is typed, and what it means.
SPELT_OUT = [
    ("--model_d", "--model_dir"),
    ("--params", "--params_filename"),
    ("--save", "--save_file"),  # 1.3.1 has two of them, 2.1.0 one
    ("--save_c=x", "--save_calibration_file=x"),
    ("--opset=11", "--opset_version=11"),
    ("--enable_onnx=True", "--enable_onnx_checker=True"),
    ("--enable_dev", "--enable_dev_version"),
    ("--input", "--input_shape_dict"),
    ("--output", "--output_names"),
    ("--ver", "--version"),
    ("--model", "--model"),  # a riddle in all
    ("--nothing", "--nothing"),
    ("-m", "-m"),
    ("--", "--"),
]

# Command lines after the model's, which leave a file: as in deployment scripts.
WORKING = [
    "--opset_version 11 --enable_onnx_checker True",
    "--opset_version=10 --enable_dev_version=True --enable_onnx_checker=1",
    "-ov 13 -d onnxruntime --enable_auto_update_opset true",
    "--enable_auto_update_opset=0 --opset 16",
    "--deploy_backend tensorrt --save_calibration_file c.cache",
    "--deploy_backend rknn --external_filename weights",
    "--enable_paddle_fallback False --custom_ops {}",
    "--optimize_tool None --enable_verbose True --enable_dist_prim_all False",
    "--export_fp16_model True",
    "",
]
# As the suites' pages on deployment have them, with the model's folder put in; by the word that is changed they begin.
SUITES = {
    "PaddleOCR": "--model_dir MODEL --model_filename model.pdmodel --params_filename model.pdiparams --save_file OUT/det_onnx/model.onnx "
    "--opset_version 11 --input_shape_dict=\"{'image':[-1,2,-1,-1]}\" --enable_onnx_checker True",
    "PaddleDetection": "--model_dir MODEL --model_filename model.pdmodel --params_filename model.pdiparams --opset_version 11 --save_file OUT/yolov3.onnx",
    "PaddleSeg": "--model_dir MODEL --model_filename model.pdmodel --params_filename model.pdiparams --opset_version 11 --save_file OUT/output.onnx "
    "--enable_dev_version True",
    "PaddleClas": "--model_dir=MODEL --model_filename=model.pdmodel --params_filename=model.pdiparams --save_file=OUT/ResNet50_vd_infer/inference.onnx "
    "--opset_version=10 --enable_onnx_checker=True",
}
REFUSED = [
    ("--opset_version 99", 1),
    ("--input_shape_dict \"{'image': [1,2\"", 2),
    ("--input_shape_dict \"{'imag': [1,2,8,8]}\"", 1),
    ("--output_names \"a b\"", 2),
    ("--output_names \"{'nothing': 'x'}\"", 1),
    ("--save_file=", 1),
    ("--opset_version eleven", 2),
    ("--enable_onnx_checker perhaps", 2),
    ("--deploy_backend toaster", 2),
    ("--nothing 1", 2),
]


def run(*words):
    """(status, standard output, standard error)"""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = command.main([str(word) for word in words])
        except SystemExit as stop:
            status = stop.code
    return status, out.getvalue(), err.getvalue()


class FlagsTest(unittest.TestCase):
    def test_abbreviations(self):
        for typed, meant in SPELT_OUT:
            self.assertEqual(flags.expand(typed), meant)

    def test_literals(self):
        values = [("True", True), ("true", True), ("1", True), ("False", False), ("0", False), ("None", False)]
        for text, value in values:
            self.assertIs(flags.boolean(text), value)
        self.assertEqual(flags.literal("{'x': [1, -1]}"), {"x": [1, -1]})
        self.assertIsNone(flags.literal(""))

    def test_defaults(self):
        options = command.arg_parser().parse_args([])
        self.assertEqual((options.opset_version, options.enable_auto_update_opset, options.enable_onnx_checker), (9, True, True))
        self.assertEqual((options.deploy_backend, options.save_calibration_file), ("onnxruntime", "calibration.cache"))

    def test_every_option_is_on_the_page(self):
        page = (ROOT / "docs" / "paddle2onnx.md").read_text()
        for flag in flags.FLAGS:
            self.assertIn(f"`--{flag.name}`", page)

    def test_without_a_model(self):
        self.assertEqual(run()[0], 0)
        status, out, _ = run("--version")
        self.assertEqual(status, 0)
        self.assertIn(paddle2onnx.__version__, out)


@unittest.skipUnless((engine._module() or os.environ.get("FLUID2ONNX")) and SAMPLES.is_dir(), "needs the converter and the sample models")
class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.model = ["--model_dir", SAMPLES / "jit", "--model_filename", "model.pdmodel", "--params_filename", "model.pdiparams"]

    def test_options(self):
        for text in WORKING:
            with self.subTest(options=text):
                file = self.folder / "out"
                status, out, err = run(*self.model, "--save_file", file, *text.split())
                self.assertEqual(status, 0, err)
                self.assertGreater(file.stat().st_size, 0)
                for word in WORDS:
                    self.assertNotIn(word, out + err)
                file.unlink()

    def test_commands_of_the_suites(self):
        for suite, text in SUITES.items():
            with self.subTest(suite=suite):
                words = shlex.split(text.replace("MODEL", str(SAMPLES / "jit")).replace("OUT", str(self.folder)))
                status, _, err = run(*words)
                self.assertEqual(status, 0, err)
                self.assertEqual(len(list(self.folder.rglob("*.onnx"))), 1)
                for path in self.folder.rglob("*.onnx"):
                    path.unlink()

    def test_refusals(self):
        for text, wanted in REFUSED:
            with self.subTest(options=text):
                status, out, err = run(*self.model, "--save_file", self.folder / "m.onnx", *shlex.split(text))
                self.assertEqual(status, wanted)
                for word in WORDS:
                    self.assertIn(word, out)
                    self.assertIn(word, err)
        for words in (["--output_names", "{'nothing': 'x'}"], ["--input_shape_dict", "{'imag': [1]}"], ["--opset_version", "99"]):
            self.assertIn(f"convert failed: {words[0]}: ", run(*self.model, "--save_file", self.folder / "m.onnx", *words)[2].replace("fluid2onnx convert: error: ", ""))
        for words in ([], ["--model_dir", self.folder]):
            self.assertEqual(run(*words, "--save_file", self.folder / "m.onnx")[0], 1)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_opset_is_raised_unless_forbidden(self):
        model = ["-m", SAMPLES / "tensor_array", "-mf", "model.pdmodel", "-s", self.folder / "m.onnx", "-ov", "7"]
        status, _, err = run(*model)
        self.assertEqual(status, 0, err)
        (self.folder / "m.onnx").unlink()
        status, _, err = run(*model, "--enable_auto_update_opset", "False")
        self.assertEqual(status, 1)
        self.assertIn("--opset_version", err)
        self.assertNotIn("--opset ", err)
        self.assertFalse((self.folder / "m.onnx").exists())

    def test_parameters(self):
        """A path that is given is the one that counts, and a model whose parameters are missing is refused."""
        for name in ("bare", "other"):
            (self.folder / name).mkdir()
        shutil.copy(SAMPLES / "jit" / "model.pdmodel", self.folder / "bare")
        file = self.folder / "m.onnx"
        for names in (["-pf", "model.pdiparams"], [], ["-pf", "../other"]):
            status, _, err = run("-m", self.folder / "bare", "-mf", "model.pdmodel", *names, "-s", file)
            self.assertEqual(status, 1, err)
        # model.pdiparams is beside the model, but another file is given.
        status, _, err = run("-m", SAMPLES / "jit", "-mf", "model.pdmodel", "-pf", "missing.pdiparams", "-s", file)
        self.assertEqual(status, 1)
        self.assertIn("missing.pdiparams: no such file", err)
        self.assertEqual(run("-m", SAMPLES / "jit", "-mf", "model.pdmodel", "-s", file)[0], 0)
        file.unlink()
        for params in ("", self.folder / "missing.pdiparams"):
            with self.assertRaises(fluid2onnx.ConversionError) as caught:
                paddle2onnx.export(self.folder / "bare" / "model.pdmodel", params, file)
            self.assertIn(caught.exception.code, ("E_NO_PARAMS", "E_NOT_FOUND"))
        self.assertRaises(fluid2onnx.ConversionError, fluid2onnx.convert, SAMPLES / "jit", file, params=self.folder / "missing.pdiparams")
        self.assertFalse(file.exists())

    def test_weights_are_no_inputs(self):
        """At the opsets of IR version 3, too."""
        for opset_version in (7, 8):
            content = paddle2onnx.export(SAMPLES / "jit" / "model.pdmodel", "", None, opset_version)
            (self.folder / "m.onnx").write_bytes(content)
            self.assertEqual(names(self.folder / "m.onnx", 11), ["image", "ids"])
            self.assertEqual(next(value for number, _, value in wire.fields(content) if number == 1)[0], 4)

    def test_lines_that_scripts_search(self):
        model = ["-m", SAMPLES / "axis_tensor", "-mf", "model.pdmodel", "-s", self.folder / "m.onnx", "-ov", "7"]
        status, out, _ = run(*model)
        lines = [line for line in out.splitlines() if line.startswith("[Paddle2ONNX] ")]
        self.assertEqual((status, len(lines)), (0, 3))
        for line, text in zip(lines, ("requires opset_version >= 13", "Opset version will change to 13 from 7", "Use opset_version = 13")):
            self.assertIn(text, line)
        status, out, _ = run(*model, "--enable_auto_update_opset", "False")
        self.assertEqual(status, 1)
        self.assertIn("requires opset_version >= 13", out)
        self.assertNotIn("Use opset_version", out)
        self.assertIn("[Paddle2ONNX] Opset version will change to 7 from 6", run(*self.model, "-s", self.folder / "m.onnx", "-ov", "6")[1])
        with redirect_stdout(io.StringIO()) as printed:
            paddle2onnx.export(SAMPLES / "jit" / "model.pdmodel", verbose=False)
        self.assertEqual(printed.getvalue(), "")

    def test_convert_to_fp16(self):
        """Of a file by fluid2onnx: the ports stay, and the results are close."""
        source, target = self.folder / "m.onnx", self.folder / "half.onnx"
        fluid2onnx.convert(SAMPLES / "jit", source, opset=11)
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            self.assertEqual(convert_to_fp16.main(["--input_model_path", str(source), "--output_model_path", str(target)]), 0)
            self.assertEqual(convert_to_fp16.main(["--input_model_path", str(SAMPLES), "--output_model_path", str(self.folder / "no.onnx")]), 1)
        self.assertFalse((self.folder / "no.onnx").exists())
        self.assertEqual(opset(target.read_bytes()), 11)
        for port in (11, 12):
            self.assertEqual(names(target, port), names(source, port))
        if onnxruntime:
            import numpy

            recorded = numpy.load(SAMPLES / "jit" / "io.npz")
            feeds = {name[3:]: recorded[name] for name in recorded.files if name.startswith("in:")}
            session = onnxruntime.InferenceSession(str(target), providers=["CPUExecutionProvider"])
            for index, result in enumerate(session.run(None, feeds)):
                self.assertEqual(result.dtype, numpy.float32)
                numpy.testing.assert_allclose(result, recorded[f"out:{index}"], atol=0.005)
                self.assertFalse(numpy.array_equal(result, recorded[f"out:{index}"]))

    def test_file_names(self):
        for names in (["-mf", "__model__", "-pf", "__params__"], ["-mf", "__model__"], []):
            status, _, err = run("-m", SAMPLES / "model_combined", *names, "-s", self.folder / "new" / "folder" / "m")
            self.assertEqual(status, 0, err)
        self.assertEqual(run("-m", SAMPLES / "model_separate", "-s", self.folder / "s.onnx")[0], 0)
        self.assertEqual(run("-m", SAMPLES, "-mf", "jit/model.pdmodel", "-pf", "jit/model.pdiparams", "-s", self.folder / "s.onnx")[0], 0)
        # A model without parameters has no such file.
        self.assertEqual(run("-m", SAMPLES / "no_params", "-mf", "model.pdmodel", "-pf", "model.pdiparams", "-s", self.folder / "n.onnx")[0], 0)
        inference = self.folder / "inference"
        for suffix in (".json", ".pdiparams"):
            shutil.copy(SAMPLES / "pir" / "jit" / f"model{suffix}", inference.with_suffix(suffix))
        self.assertEqual(run("-m", self.folder, "-mf", "inference.json", "-pf", "inference.pdiparams", "-s", inference.with_suffix(".onnx"))[0], 0)

    def test_names(self):
        file = self.folder / "m.onnx"
        inputs = [port.name for port in fluid2onnx.inspect(SAMPLES / "jit").inputs]
        outputs = [port.name for port in fluid2onnx.inspect(SAMPLES / "jit").outputs]
        run(*self.model, "-s", file)
        self.assertEqual((names(file, 11), names(file, 12)), (inputs, outputs))
        self.assertIn(b"DynamicDimension.0", file.read_bytes())
        run(*self.model, "-s", file, "--output_names", "['y', 'scores']")
        self.assertEqual(names(file, 12), ["y", "scores"])
        run(*self.model, "-s", file, "--output_names", repr({outputs[0]: "z"}))
        self.assertEqual(names(file, 12), ["z", outputs[1]])
        self.assertEqual(run(*self.model, "-s", file, "--output_names", "['a']")[0], 1)

    def test_input_shapes(self):
        file = self.folder / "m.onnx"
        ports = fluid2onnx.inspect(SAMPLES / "jit").inputs
        given = repr({port.name: [dim if isinstance(dim, int) else 2 for dim in port.shape] for port in ports})
        self.assertEqual(run(*self.model, "-s", file, "--input_shape_dict", given)[0], 0)
        self.assertNotIn(b"DynamicDimension", file.read_bytes())
        run(*self.model, "-s", file)
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            self.assertEqual(optimize.main(["--input_model", str(file), "--output_model", str(file), "--input_shape_dict", given]), 0)
            self.assertNotIn(b"DynamicDimension.0", file.read_bytes())  # of an input; the outputs have others
            before = file.read_bytes()
            for wrong in ("{'none': [1]}", repr({ports[0].name: [1] * 9}), "7"):
                self.assertEqual(optimize.main(["--input_model", str(file), "--output_model", str(file), "--input_shape_dict", wrong]), 1)
        self.assertEqual(file.read_bytes(), before)

    def test_calibration(self):
        """As Paddle2ONNX 1.3.1 writes it for this model, but for the names of what only its graph has."""
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("needs numpy")
        file, cache = self.folder / "m.onnx", self.folder / "c.cache"
        quantised = ["-m", SAMPLES / "ptq_int8", "-mf", "model.pdmodel", "-pf", "model.pdiparams", "-s", file, "--save_calibration_file", cache]
        self.assertEqual(run(*quantised, "-d", "tensorrt")[0], 0)
        first, *lines = cache.read_text().splitlines()
        self.assertEqual(first, "TRT-8XXX-EntropyCalibration2")
        scales = dict(line.split(": ") for line in lines)
        self.assertEqual((scales["x"], scales["mean_0.tmp_0"]), ("3bf6a85c", "3b7a59ee"))
        self.assertEqual(sorted(set(scales.values())), ["3b7a59ee", "3be2c7d0", "3bf6a85c", "3bf8dff0"])
        self.assertNotIn(b"izeLinear", file.read_bytes())
        self.assertEqual(opset(file.read_bytes()), 13)  # as there: below, weights have one scale at most
        cache.unlink()
        self.assertEqual(run(*quantised)[0], 0)
        self.assertFalse(cache.exists())
        if onnxruntime:
            recorded = numpy.load(SAMPLES / "ptq_int8" / "io.npz")
            self.assertEqual(run(*quantised, "-d", "tensorrt")[0], 0)
            session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
            got = session.run(None, {"x": recorded["in:x"]})[0]
            numpy.testing.assert_allclose(got, recorded["out:0"], atol=0.05)

    def test_export(self):
        model, params = str(SAMPLES / "jit" / "model.pdmodel"), str(SAMPLES / "jit" / "model.pdiparams")
        content = paddle2onnx.export(model, params)
        self.assertEqual(opset(content), 7)
        file = str(self.folder / "new" / "m.onnx")
        self.assertIsNone(paddle2onnx.export(model, params, file, 11, True, False, True, True, True, {}, "onnxruntime", "", "", False))
        self.assertEqual(opset(Path(file).read_bytes()), 11)
        self.assertEqual(opset(paddle2onnx.export(model_file=model, params_file=params, opset_version=12, optimize_tool="None")), 12)
        self.assertEqual(opset(command.c_paddle_to_onnx(model, params)), 7)
        command.program2onnx(str(SAMPLES / "jit"), file, "model.pdmodel", "model.pdiparams")
        self.assertEqual(opset(Path(file).read_bytes()), 9)
        with self.assertRaises(fluid2onnx.ConversionError):
            paddle2onnx.export(
                str(SAMPLES / "axis_tensor" / "model.pdmodel"), "", str(self.folder / "no.onnx"), opset_version=10, auto_upgrade_opset=False)
        self.assertFalse((self.folder / "no.onnx").exists())
        self.assertRaises(TypeError, paddle2onnx.export)

    @unittest.skipUnless(paddle, "needs paddlepaddle")
    def test_paddle_imports_it_by_name(self):
        """paddle.onnx.export, and the modules that scripts run, with the shim in place."""
        paths = os.pathsep.join([str(ROOT / "python" / "shim"), *sys.path])
        env = {**os.environ, "PYTHONPATH": paths}
        script = (
            "import paddle, paddle2onnx, sys\n"
            "from paddle2onnx.command import main, c_paddle_to_onnx, program2onnx\n"
            "net = paddle.nn.Linear(3, 2)\n"
            "spec = [paddle.static.InputSpec([None, 3], 'float32', 'x')]\n"
            "paddle.onnx.export(net, sys.argv[1], input_spec=spec, opset_version=11)\n"
            "print(paddle2onnx.__version__, net.training)\n"
        )
        done = subprocess.run([sys.executable, "-c", script, str(self.folder / "net")], env=env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2.1.0 True", done.stdout)
        file = self.folder / "net.onnx"
        self.assertEqual((opset(file.read_bytes()), names(file, 11)), (11, ["x"]))
        model = [str(word) for word in self.model]
        for module in ("paddle2onnx", "paddle2onnx.command"):
            done = subprocess.run([sys.executable, "-m", module, *model, "-s", str(self.folder / "c.onnx")], env=env, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run(
            [sys.executable, "-m", "paddle2onnx.optimize", "--input_model", str(file), "--output_model", str(file), "--input_shape_dict", "{'x': [5, 3]}"],
            env=env,
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(b"DynamicDimension", file.read_bytes())

    @unittest.skipUnless(paddle, "needs paddlepaddle")
    def test_program_in_memory(self):
        paddle.enable_static()
        self.addCleanup(paddle.disable_static)
        main, startup, scope = paddle.static.Program(), paddle.static.Program(), paddle.static.Scope()
        with paddle.static.program_guard(main, startup), paddle.static.scope_guard(scope):
            x = paddle.static.data("x", [-1, 4], "float32")
            y = paddle.static.nn.fc(x, 2)
            paddle.static.Executor(paddle.CPUPlace()).run(startup)
        content = paddle2onnx.program2onnx(main, scope, None, feed_var_names=["x"], target_vars=[y])
        self.assertEqual(opset(content), 9)
        report = fluid2onnx.export(main, feed=[x], fetch=[y], scope=scope, opset=13)
        self.assertEqual([port.name for port in report.inputs], ["x"])
        self.assertRaises(ValueError, fluid2onnx.export, main)


@unittest.skipUnless((engine._module() or os.environ.get("FLUID2ONNX")) and SAMPLES.is_dir(), "needs the converter and the sample models")
class CasesTest(unittest.TestCase):
    """The invocations of paddle2onnx_cases.txt, run as scripts do."""

    def test_results(self):
        version = int(paddle.__version__.split(".")[0]) if paddle else 0
        cases = [case for case in paddle2onnx_cases.read() if version >= (3 if case.needs_paddle_3 else 2 if case.needs_paddle else 0)]
        if not importlib.util.find_spec("numpy"):
            cases = [case for case in cases if not case.needs_numpy]
        self.assertGreater(len(cases), 100)
        for case, result in zip(cases, paddle2onnx_cases.run_all(cases, sys.executable, paddle2onnx_cases.environment(shim=True))):
            with self.subTest(command=case.command):
                self.assertEqual(result, case.results["ours"])

    def test_differences_are_on_the_page(self):
        page = " ".join((ROOT / "docs" / "paddle2onnx.md").read_text().split())
        cases = paddle2onnx_cases.read()
        for case in cases:
            with self.subTest(command=case.command):
                self.assertNotEqual(case.is_same, "why" in case.results)
                self.assertIn(case.results.get("why", ""), page)
        for row in paddle2onnx_cases.table(cases):
            self.assertIn(row, page)


def graph(content):
    return next(content for number, _, content in wire.fields(content) if number == 7)


def names(file, field):
    """Of the graph's inputs (11) or outputs (12)."""
    return [wire.text(content, 1) for number, _, content in wire.fields(graph(Path(file).read_bytes())) if number == field]


def opset(content):
    imports = next(content for number, _, content in wire.fields(content) if number == 8)
    return next(content[0] for number, _, content in wire.fields(imports) if number == 2)


if __name__ == "__main__":
    unittest.main()

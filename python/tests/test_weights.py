"""Where weights go and in which precision, judged by ONNX's checker and ONNX Runtime."""
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import fluid2onnx

try:
    import numpy as np
    import onnx
    import onnxruntime
    import paddle
except (ImportError, AttributeError):
    paddle = None

# From a small process: Linux counts the memory of the parent process as that of the program.
USAGE = """
import os, sys
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""

HAVE_ALL = paddle is not None and os.environ.get("FLUID2ONNX")


@unittest.skipUnless(HAVE_ALL, "needs Paddle, ONNX Runtime and the executable in FLUID2ONNX")
class WeightsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.kept.name)
        paddle.disable_static()
        paddle.seed(1)

        class Net(paddle.nn.Layer):
            def __init__(self):
                super().__init__()
                self.embedding = paddle.nn.Embedding(600, 64)
                self.conv = paddle.nn.Conv1D(64, 64, 3)
                self.norm = paddle.nn.LayerNorm(64)

            def forward(self, ids):
                x = self.conv(self.embedding(ids).transpose([0, 2, 1])).transpose([0, 2, 1])
                x = self.norm(paddle.nn.functional.gelu(x))
                return paddle.matmul(x, self.embedding.weight, transpose_y=True)

        net = Net()
        net.eval()
        paddle.jit.save(net, str(cls.folder / "net"), input_spec=[paddle.static.InputSpec([2, 9], "int64", "ids")])
        cls.ids = np.arange(18, dtype=np.int64).reshape(2, 9)
        cls.expected = net(paddle.to_tensor(cls.ids)).numpy()

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def run_model(self, path):
        onnx.checker.check_model(str(path), full_check=True)
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        return session.run(None, {"ids": self.ids})[0]

    def convert(self, name, **options):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        fluid2onnx.convert(self.folder / "net.pdmodel", path, **options)
        return path

    def test_places(self):
        for weights in ("inline", "external", "reference"):
            with self.subTest(weights):
                path = self.convert(weights + ".onnx", weights=weights)
                np.testing.assert_allclose(self.run_model(path), self.expected, atol=1e-4)
        self.assertFalse((self.folder / "reference.onnx.data").exists())

    def test_reference_needs_the_file_itself(self):
        path = self.folder / "refused.onnx"
        program, params = self.folder / "net.pdmodel", self.folder / "net.pdiparams"
        with tempfile.TemporaryDirectory() as elsewhere:
            with self.assertRaisesRegex(fluid2onnx.ConversionError, "outside of its folder"):
                fluid2onnx.convert(program, Path(elsewhere) / "m.onnx", weights="reference")
        (self.folder / "link").symlink_to(params)
        with self.assertRaisesRegex(fluid2onnx.ConversionError, "symbolic or hard link"):
            fluid2onnx.convert(program, path, params=self.folder / "link", weights="reference")
        os.link(params, self.folder / "second")
        try:
            with self.assertRaisesRegex(fluid2onnx.ConversionError, "symbolic or hard link"):
                fluid2onnx.convert(program, path, weights="reference")
        finally:
            (self.folder / "second").unlink()
        self.assertFalse(path.exists())

    def test_a_folder_below_is_fine(self):
        with tempfile.TemporaryDirectory() as above:
            params = Path(above) / "below" / "net.pdiparams"
            params.parent.mkdir()
            shutil.copy(self.folder / "net.pdiparams", params)
            path = Path(above) / "m.onnx"
            fluid2onnx.convert(self.folder / "net.pdmodel", path, params=params, weights="reference")
            np.testing.assert_allclose(self.run_model(path), self.expected, atol=1e-4)

    def test_tied_weights_are_written_once(self):
        stored = (self.folder / "net.pdiparams").stat().st_size
        self.assertLess(self.convert("once.onnx").stat().st_size, stored + 4096)

    def test_half_precision(self):
        full = self.convert("full.onnx").stat().st_size
        for precision, tolerance in (("float16", 1e-2), ("bfloat16", 5e-2)):
            for options in ({}, {"float32_ops": ["LayerNormalization"]}, {"weights": "external"}):
                with self.subTest(precision, **options):
                    path = self.convert(precision + ".onnx", precision=precision, **options)
                    got = self.run_model(path)
                    self.assertEqual(got.dtype, np.float32)
                    np.testing.assert_allclose(got, self.expected, atol=tolerance * np.abs(self.expected).max())
                    if not options:
                        self.assertLess(path.stat().st_size, 0.6 * full)
        path = self.convert("io.onnx", precision="float16", half_io=True)
        self.assertEqual(self.run_model(path).dtype, np.float16)


@unittest.skipIf(os.environ.get("FLUID2ONNX_SANITIZED"), "sanitizers take memory of their own")
@unittest.skipUnless(HAVE_ALL, "needs Paddle, ONNX Runtime and the executable in FLUID2ONNX")
class MemoryTest(unittest.TestCase):
    """Memory does not grow with the weights: 400 MB of them, most of it a hole in the file."""

    DIMS = (50_000, 2000)
    MOST = 64 << 20

    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.prefix = os.path.join(cls.kept.name, "net")
        paddle.enable_static()
        try:
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                x = paddle.static.data("x", [-1, cls.DIMS[0]])
                w = paddle.create_parameter(cls.DIMS, "float32", name="w")
                y = paddle.nn.functional.relu(paddle.matmul(x, w))
                program = paddle.static.normalize_program(main, [x], [y])
                Path(cls.prefix + ".pdmodel").write_bytes(paddle.static.serialize_program([x], [y], program=program))
        finally:
            paddle.disable_static()
        varint = lambda n: bytes([n & 127 | 128]) + varint(n >> 7) if n > 127 else bytes([n])
        description = b"\x08\x05" + b"".join(b"\x10" + varint(d) for d in cls.DIMS)
        with open(cls.prefix + ".pdiparams", "wb") as file:
            file.write(struct.pack("<IQIi", 0, 0, 0, len(description)) + description)
            file.truncate(file.tell() + 4 * cls.DIMS[0] * cls.DIMS[1])

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def test_memory(self):
        for options in (["inline"], ["external"], ["reference"], ["inline", "--fp16"], ["external", "--bf16"]):
            with self.subTest(options=options):
                path = self.prefix + ".onnx"
                command = [os.environ["FLUID2ONNX"], "convert", self.prefix + ".pdmodel", "-q", "-o", path, "--weights", *options]
                done = subprocess.run([sys.executable, "-I", "-S", "-c", USAGE, *command], capture_output=True, text=True)
                status, memory = map(int, done.stdout.split())
                self.assertEqual(status, 0)
                self.assertLess(memory * 1024, self.MOST)
                onnx.checker.check_model(path)
                os.unlink(path)

    def test_interruption(self):
        """Whenever it is ended: no file that is not complete, and none under another name."""
        size = 4 * self.DIMS[0] * self.DIMS[1]
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            for delay in (0.02, 0.05, 0.1, 0.15, 0.2):
                with self.subTest(signal=number, delay=delay), tempfile.TemporaryDirectory(dir=self.kept.name) as folder:
                    path = os.path.join(folder, "m.onnx")
                    process = subprocess.Popen(
                        [os.environ["FLUID2ONNX"], "convert", self.prefix + ".pdmodel", "-q", "-o", path, "--weights", "external"]
                    )
                    time.sleep(delay)
                    process.send_signal(number)
                    self.assertIn(process.wait(), (0, -number))
                    self.assertIn(sorted(os.listdir(folder)), ([], ["m.onnx.data"], ["m.onnx", "m.onnx.data"]))
                    if os.path.exists(path + ".data"):
                        self.assertEqual(os.path.getsize(path + ".data"), size)


if __name__ == "__main__":
    unittest.main()

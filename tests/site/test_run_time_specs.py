"""docs/run-time-specs.md: its specs, tested against Paddle. PADDLE_PYTHON names a Python that has it, and ONNX Runtime."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from fluid2onnx import executable
from pages import DOCS, ROOT
from run_page import FILE

_PYTHON = os.environ.get("PADDLE_PYTHON")


@unittest.skipUnless(_PYTHON, "PADDLE_PYTHON is not set")
class SpecTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in FILE.findall((DOCS / "run-time-specs.md").read_text()):
            (self.folder / name).write_text(text)

    def run_test(self, *arguments):
        environment = {**os.environ, "FLUID2ONNX_PYTHON": _PYTHON, "PYTHONPATH": str(ROOT / "python")}
        command = [executable.find(), "spec", "test", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        return done.returncode, done.stdout

    def test_right(self):
        status, text = self.run_test("my_ops.yaml", "softmax.yaml", "hard_swish.yaml")
        self.assertEqual(status, 0, text)
        self.assertIn("passed   snake_relu:half", text)
        self.assertIn("3 passed, 0 failed", text)

    def test_wrong(self):
        spec = self.folder / "my_ops.yaml"
        spec.write_text(spec.read_text().replace("Out = X + s", "Out = X - s"))
        status, text = self.run_test("my_ops.yaml", "--opset", "13")
        self.assertEqual(status, 1, text)
        self.assertIn("failed   snake_relu:half at opset 13", text)
        self.assertIn("0 passed, 1 failed", text)

    def test_wrong_spec_of_onnx(self):
        spec = self.folder / "hard_swish.yaml"
        spec.write_text(spec.read_text().replace("offset=0.5", "offset=0.4"))
        status, text = self.run_test("hard_swish.yaml")
        self.assertEqual(status, 1, text)
        self.assertIn("failed   HardSwish:0", text)

    def test_only(self):
        status, text = self.run_test(".", "--only", "softmax", "--opset", "9", "--opset", "17")
        self.assertEqual(status, 0, text)
        self.assertIn("1 passed, 0 failed", text)

    def test_answers_are_kept(self):
        status, text = self.run_test("my_ops.yaml", "--opset", "17", "--references", "answers")
        self.assertEqual(status, 0, text)
        # Where Paddle cannot be imported, they take its place.
        hidden = self.folder / "hidden"
        hidden.mkdir()
        (hidden / "sitecustomize.py").write_text(
            "import importlib.util as util\nfind = util.find_spec\nutil.find_spec = lambda name, *rest: None if name == 'paddle' else find(name, *rest)\n"
        )
        environment = {**os.environ, "FLUID2ONNX_PYTHON": _PYTHON, "PYTHONPATH": f"{hidden}:{ROOT / 'python'}"}
        for answers, wanted in (("answers", "1 passed, 0 failed"), ("none", "0 passed, 0 failed, 1 skipped")):
            command = [executable.find(), "spec", "test", "my_ops.yaml", "--opset", "17", "--references", answers]
            done = subprocess.run(command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
            self.assertIn(wanted, done.stdout)

    def test_mistake(self):
        (self.folder / "my_ops.yaml").write_text("op: snake_relu\n")
        status, text = self.run_test("my_ops.yaml")
        self.assertEqual(status, 2, text)
        self.assertIn("my_ops.yaml:1", text)


if __name__ == "__main__":
    unittest.main()

"""The tutorials, carried out with Paddle: PADDLE_PYTHON names a Python that has it, and ONNX Runtime."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from fluid2onnx import executable
from pages import ROOT

_PYTHON = os.environ.get("PADDLE_PYTHON")


@unittest.skipUnless(_PYTHON, "PADDLE_PYTHON is not set")
class Tutorials(unittest.TestCase):
    def carry_out(self, page, **variables):
        program = Path(executable.find()).resolve()
        environment = {
            **os.environ,
            "PATH": f"{program.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "FLUID2ONNX_PYTHON": _PYTHON,
            "PYTHONPATH": str(ROOT / "python"),
            **variables,
        }
        environment.pop("FLUID2ONNX", None)
        command = [_PYTHON, str(ROOT / "tests" / "site" / "run_page.py"), page]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_start(self):
        self.carry_out("index.md")

    def test_classifier(self):
        self.carry_out("tutorials/classifier.md")

    def test_detector(self):
        self.carry_out("tutorials/detector.md")

    def test_ocr(self):
        self.carry_out("tutorials/ocr.md")

    def test_fluid(self):
        self.carry_out("tutorials/fluid.md")

    def test_serving(self):
        build = Path(executable.find()).resolve().parent.parent
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
            self.carry_out("tutorials/serving.md", PREFIX=prefix)


if __name__ == "__main__":
    unittest.main()

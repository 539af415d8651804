"""`fluid2onnx report`."""
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from fluid2onnx import bug_report, executable

SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "data" / "models"


class Report(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.archive = Path(temporary.name) / "report.tar.gz"

    def report(self, *words, status=0):
        command = [executable.find(), "report", *map(str, words), "-o", str(self.archive)]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "FLUID2ONNX_PYTHON": sys.executable})
        self.assertEqual(done.returncode, status, done.stderr)
        if status:
            return done.stderr
        with tarfile.open(self.archive) as archive:
            return {member.name.split("/")[1]: archive.extractfile(member).read() for member in archive}

    def test_a_model(self):
        files = self.report(SAMPLES / "axis_tensor")
        self.assertEqual(set(files), {"program.pdmodel", "report.json", "README.txt"})
        told = json.loads(files["report.json"])
        self.assertEqual(told["exit_status"], 1)
        self.assertEqual(told["inspect"]["conversion"]["errors"][0]["code"], "E_UNKNOWN_VALUE")
        self.assertNotIn(str(SAMPLES), files["report.json"].decode())

    def test_what_is_packed_can_be_inspected_without_weights(self):
        files = self.report(SAMPLES / "jit", "--opset", "13")
        weights = (SAMPLES / "jit" / "model.pdiparams").read_bytes()
        self.assertFalse(any(weights[-64:] in content for content in files.values()))
        alone = self.archive.parent / "program.pdmodel"
        alone.write_bytes(files["program.pdmodel"])
        done = executable.run(["inspect", str(alone), "--opset", "13"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("taken to be zeros", done.stdout)

    def test_a_program_of_paddle_3(self):
        self.assertIn("program.json", self.report(SAMPLES / "pir" / "jit"))

    def test_a_damaged_program(self):
        broken = self.archive.parent / "broken.pdmodel"
        broken.write_bytes((SAMPLES / "jit" / "model.pdmodel").read_bytes()[:300])
        files = self.report(broken)
        self.assertEqual(files["program.pdmodel"], broken.read_bytes())
        self.assertIn("E_", json.loads(files["report.json"])["messages"])

    def test_no_model(self):
        self.assertIn("no such file", self.report("missing", status=3))

    def test_folders_of_the_python_are_left_out(self):
        text = b'  File "/home/someone/secret/net.py", line 3, in forward'
        attribute = bug_report.wire.message([(1, 2, b"op_callstack"), (2, 0, 5), (8, 2, text)])
        program = bug_report.wire.message([(1, 2, bug_report.wire.message([(4, 2, bug_report.wire.message([(3, 2, b"relu"), (4, 2, attribute)]))]))])
        packed = bug_report._without_folders(program)
        self.assertNotIn(b"someone", packed)
        self.assertIn(b'File "net.py", line 3', packed)


if __name__ == "__main__":
    unittest.main()

"""`fluid2onnx report`."""
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from fluid2onnx import bug_report, executable, wire
from fluid2onnx.without_weights import without_weights

SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "data" / "models"


def field(number, content, kind=2):
    return wire.message([(number, kind, content)])


class WithoutWeights(unittest.TestCase):
    """On the wire format, without ONNX: TensorProto in GraphProto.initializer, in ModelProto.graph."""

    def zeroed(self, dims, dtype, *data):
        tensor = b"".join(field(1, dim, 0) for dim in dims) + field(2, dtype, 0) + b"".join(data)
        model = without_weights(field(7, field(5, tensor)))
        return model, field(7, field(5, tensor))

    def test_weights_become_zeros(self):
        for number in (4, 9):
            changed, whole = self.zeroed([3, 3], 1, field(number, b"\x01" * 36))
            self.assertEqual(changed, whole.replace(b"\x01" * 36, bytes(36)))

    def test_varints_stay_as_many(self):
        changed, _ = self.zeroed([300], 7, field(7, b"\xff\x01" * 300))
        self.assertIn(field(7, bytes(300)), changed)

    def test_what_decides_the_conversion_stays(self):
        for dims, dtype, data in (([4], 7, field(7, b"\x05" * 4)), ([4], 1, field(9, b"\x05" * 16))):
            changed, whole = self.zeroed(dims, dtype, data)
            self.assertEqual(changed, whole)

    def test_numbers_that_are_not_packed(self):
        with self.assertRaises(IndexError):
            self.zeroed([300], 7, *[field(7, 5, 0)] * 300)

    def test_constants_and_nested_graphs(self):
        tensor = field(1, 100, 0) + field(2, 1, 0) + field(9, b"\x07" * 400)
        constant = field(1, field(5, field(1, b"value") + field(5, tensor)))
        inner = field(1, field(5, field(1, b"then_branch") + field(6, constant)))
        self.assertNotIn(b"\x07\x07", without_weights(field(7, constant + inner)))

    def test_folders_of_exporters(self):
        node = field(6, b'File "/home/someone/net.py", line 3') + field(9, field(1, b"stack_trace") + field(2, b"# /home/someone/net.py:3"))
        changed = without_weights(field(7, field(1, node)))
        self.assertNotIn(b"someone", changed)
        self.assertIn(b"net.py:3", changed)


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
        files = self.report(SAMPLES / "axis_tensor", "--opset", "10")
        self.assertEqual(set(files), {"program.pdmodel", "report.json", "README.txt"})
        report = json.loads(files["report.json"])
        self.assertEqual(report["exit_status"], 1)
        self.assertEqual(report["inspect"]["conversion"]["errors"][0]["code"], "E_OPSET")
        self.assertNotIn(str(SAMPLES), files["report.json"].decode())

    def test_what_is_packed_can_be_inspected_without_weights(self):
        files = self.report(SAMPLES / "jit", "--opset", "13")
        weights = (SAMPLES / "jit" / "model.pdiparams").read_bytes()
        self.assertFalse(any(weights[-64:] in content for content in files.values()))
        alone = self.archive.parent / "program.pdmodel"
        alone.write_bytes(files["program.pdmodel"])
        done = executable.run(["inspect", str(alone), "--opset", "13"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("zeros of the declared shapes are used", done.stdout)

    def test_a_program_of_paddle_3(self):
        self.assertIn("program.json", self.report(SAMPLES / "pir" / "jit"))

    def test_a_damaged_program(self):
        broken = self.archive.parent / "broken.pdmodel"
        broken.write_bytes((SAMPLES / "jit" / "model.pdmodel").read_bytes()[:300])
        files = self.report(broken)
        self.assertEqual(files["program.pdmodel"], broken.read_bytes())
        self.assertIn("E_", json.loads(files["report.json"])["messages"])

    def test_an_onnx_model(self):
        onnx = self.archive.parent / "model.onnx"
        program = SAMPLES / "jit" / "model.pdmodel"
        self.assertEqual(executable.run(["convert", str(program), "-o", str(onnx)]).returncode, 0)
        files = self.report(onnx)
        self.assertEqual(set(files), {"model.onnx", "report.json", "README.txt"})
        self.assertEqual(json.loads(files["report.json"])["inspect"]["format"], "onnx")
        weights = (SAMPLES / "jit" / "model.pdiparams").read_bytes()[-64:-30]
        self.assertIn(weights, onnx.read_bytes())
        self.assertNotIn(weights, files["model.onnx"])
        self.assertEqual(len(files["model.onnx"]), onnx.stat().st_size)
        alone = self.archive.parent / "alone.onnx"
        alone.write_bytes(files["model.onnx"])
        done = executable.run(["convert", str(alone), "-o", str(self.archive.parent / "back.pdmodel")])
        self.assertEqual(done.returncode, 0, done.stderr)
        alone.write_bytes(onnx.read_bytes()[:-40])
        self.assertIn("damaged", self.report(alone, status=3))

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

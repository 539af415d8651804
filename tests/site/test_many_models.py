"""docs/many-models.md, carried out: the fleet on local workers of Dask."""
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from pages import ROOT, file_in

MODELS = ROOT / "tests" / "data" / "models"


@unittest.skipUnless(importlib.util.find_spec("distributed"), "Dask is not installed")
class Fleet(unittest.TestCase):
    def run_script(self, *arguments):
        command = [sys.executable, str(self.work / "convert_fleet.py"), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=300)

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.work = Path(temporary.name)
        (self.work / "convert_fleet.py").write_text(file_in("many-models.md", "convert_fleet.py"))
        for name in ("static_save", "lstm", "jit"):
            shutil.copytree(MODELS / name, self.work / "models" / name)

    def test_all_are_converted_once(self):
        done = self.run_script(self.work / "models", self.work / "onnx")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("3 converted, 0 failed", done.stdout)
        self.assertEqual(len(list((self.work / "onnx").rglob("*.onnx"))), 3)
        again = self.run_script(self.work / "models", self.work / "onnx")
        self.assertIn("3 models, 3 done before", again.stdout)

    def test_one_failure_is_reported_and_the_others_go_on(self):
        (self.work / "models" / "lstm" / "model.pdiparams").unlink()
        done = self.run_script(self.work / "models", self.work / "onnx")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("E_NO_PARAMS", done.stdout)
        self.assertIn("2 converted, 1 failed", done.stdout)


if __name__ == "__main__":
    unittest.main()

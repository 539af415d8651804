"""The sample models of the repository, with the answers that Paddle recorded: no Paddle is needed."""
import os
import tempfile
import unittest
from pathlib import Path

import fluid2onnx
from fluid2onnx import engine

try:
    import numpy as np
    import onnxruntime
except ImportError:
    onnxruntime = None

SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "data" / "models"
OPSETS = (13, 17, 26)  # loops carry sequences from 13 on


@unittest.skipUnless(onnxruntime and (engine._module() or os.environ.get("FLUID2ONNX")) and SAMPLES.is_dir(), "needs ONNX Runtime, and the module or the executable")
class SamplesTest(unittest.TestCase):
    def test_samples_answer_as_in_paddle(self):
        folders = sorted(recorded.parent for recorded in SAMPLES.rglob("io.npz"))
        self.assertGreater(len(folders), 20)
        for folder in folders:
            # Of several functions in one folder, this one's answers are recorded.
            main = next((folder / name for name in ("model.pdmodel", "model.json") if (folder / name).exists()), folder)
            for opset in OPSETS:
                with self.subTest(model=str(folder.relative_to(SAMPLES)), opset=opset):
                    self._compare(main, folder / "io.npz", opset)

    def _compare(self, model, recorded, opset):
        with np.load(recorded) as arrays:
            inputs = {name[len("in:"):]: arrays[name] for name in arrays.files if name.startswith("in:")}
            outputs = [arrays[f"out:{i}"] for i in range(sum(name.startswith("out:") for name in arrays.files))]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            fluid2onnx.convert(model, path, opset=opset)
            session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
            results = session.run(None, inputs)
        self.assertEqual(len(results), len(outputs))
        for result, output in zip(results, outputs):
            self.assertEqual((result.dtype, result.shape), (output.dtype, output.shape))
            np.testing.assert_allclose(result, output, rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    unittest.main()

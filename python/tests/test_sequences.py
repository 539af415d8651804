"""Sequences in and out, and docs/sequences.md carried out."""
import contextlib
import io
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import numpy as np

import fluid2onnx
from fluid2onnx import ModelError, pack_sequences, split_sequences
from fluid2onnx.inputs import Inputs, OpenSizes, Role, draw, given_inputs, random_input

try:
    import onnxruntime  # noqa: F401
    import paddle
    import tagger
    from fluid2onnx.paddle_model import Feed
except (ImportError, AttributeError):
    paddle = None

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sequences.md"


class PackTest(unittest.TestCase):
    def test_there_and_back(self):
        parts = [np.arange(6).reshape(3, 2), np.zeros((0, 2), int), np.arange(2).reshape(1, 2)]
        feeds = pack_sequences({"x": parts, "y": np.ones(3)})
        self.assertEqual(sorted(feeds), ["x", "x.lengths", "y"])
        self.assertEqual((feeds["x"].shape, feeds["x.lengths"].dtype, feeds["x.lengths"].tolist()), ((4, 2), np.int64, [3, 0, 1]))
        for part, again in zip(parts, split_sequences(feeds["x"], feeds["x.lengths"])):
            np.testing.assert_array_equal(part, again)

    def test_levels(self):
        nested = [[np.array([1, 2]), np.array([3])], [np.array([4, 5, 6])]]
        feeds = pack_sequences({"x": nested})
        self.assertEqual([feeds[name].tolist() for name in ("x", "x.lengths_0", "x.lengths_1")], [[1, 2, 3, 4, 5, 6], [2, 1], [2, 1, 3]])
        again = split_sequences(feeds["x"], feeds["x.lengths_0"], feeds["x.lengths_1"])
        self.assertEqual([[part.tolist() for part in parts] for parts in again], [[[1, 2], [3]], [[4, 5, 6]]])

    def test_refused(self):
        self.assertRaisesRegex(ValueError, "shape of a row", pack_sequences, {"x": [np.ones((1, 2)), np.ones((1, 3))]})
        self.assertRaisesRegex(ValueError, "dtype", pack_sequences, {"x": [np.ones(1), np.ones(1, int)]})
        self.assertRaisesRegex(ValueError, "at least one", pack_sequences, {"x": []})
        self.assertRaisesRegex(ValueError, "1 is not a sequence", pack_sequences, {"x": [1, 2]})
        self.assertRaisesRegex(ValueError, "2 is not a sequence", pack_sequences, {"x": [[1], 2]})
        self.assertRaisesRegex(ValueError, "add up to 2, but there are 3 rows", split_sequences, np.ones(3), np.array([1, 1]))


@unittest.skipUnless(paddle, "needs paddlepaddle and onnxruntime")
class InputsTest(unittest.TestCase):
    words = None if paddle is None else Feed("words", "int64", [-1, 1], 1)

    def test_given(self):
        for given in ({"words": [np.array([[1], [2]]), np.array([[3]])]}, {"words": [[1, 2], [3]]}, {"words": np.array([[1], [2], [3]]), "words.lengths": np.array([2, 1])}):
            with self.subTest(given=given):
                found = given_inputs([self.words], given, {})
                self.assertEqual((found.arrays["words"].tolist(), found.lod), ([[1], [2], [3]], {"words": [[0, 2, 3]]}))
        self.assertRaisesRegex(ModelError, "add up to 2, but it has 1 rows", given_inputs, [self.words], {"words": np.ones((1, 1), int), "words.lengths": np.array([2])}, {})
        self.assertRaisesRegex(ModelError, "is float64, but the model takes int64", given_inputs, [self.words], {"words": [np.array([1.5])]}, {})
        self.assertRaisesRegex(ModelError, "given without 'words'", given_inputs, [self.words], {"words.lengths": np.array([2])}, {})
        self.assertRaisesRegex(ModelError, "its inputs are words", given_inputs, [self.words], {"other.lengths": np.array([2])}, {})

    def test_drawn(self):
        dense = Feed("x", "float32", [-1, 3])
        deep = Feed("deep", "float32", [-1, 2], 2)
        found = draw([self.words, dense, deep], Inputs(), {}, {}, 0, OpenSizes(lengths=(4, 1)), {"words": Role(below=50)})
        self.assertEqual(found.lod["words"], [[0, 4, 5]])
        self.assertEqual(found.arrays["x"].shape, (2, 3))  # a row for each sequence
        self.assertEqual((found.lod["deep"][0], len(found.lod["deep"][1]), found.arrays["deep"].shape[0]), ([0, 2, 4], 5, found.lod["deep"][1][-1]))
        self.assertTrue((found.arrays["words"] < 50).all() and (found.arrays["words"] > 1).any())

    def test_suited_to_images(self):
        feeds = [Feed("image", "float32", [-1, 3, -1, -1]), Feed("im_shape", "float32", [-1, 2]), Feed("scale_factor", "float32", [-1, 2])]
        arrays = draw(feeds, Inputs(), {}, {}, 0, OpenSizes(64, 16, 2)).arrays
        self.assertEqual((arrays["im_shape"].tolist(), arrays["scale_factor"].tolist()), ([[64, 64]] * 2, [[1, 1]] * 2))
        self.assertEqual(random_input(Feed("n", "int64", [-1]), 0, sizes=OpenSizes(batch=9, other=5), role=Role(length=True)).min(), 1)


@unittest.skipUnless(paddle, "needs paddlepaddle and onnxruntime")
class TaggerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        tagger.save(cls.folder / "tagger")

    def test_page(self):
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        space = {}
        text = PAGE.read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        self.assertGreater(len(blocks), 6)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for block in blocks:
                exec(compile(block, f"{PAGE.name}: {block.splitlines()[0]}", "exec"), space)
        self.assertIn("学习", printed.getvalue())

    def test_transcripts(self):
        """What the page shows of `validate` and `inspect` is what they print."""
        text = PAGE.read_text(encoding="utf-8")
        onnx = self.folder / "shown.onnx"
        report = fluid2onnx.convert(self.folder / "tagger", onnx)
        verdict = fluid2onnx.validate(self.folder / "tagger", onnx).text()
        self.assertIn(re.sub(r"Paddle [0-9.]+", "Paddle 2.6.2", verdict), text)
        self.assertIn(f"to {sum(report.nodes.values())} nodes", text)

    def test_wrong_lengths_are_noticed(self):
        onnx = self.folder / "checked.onnx"
        fluid2onnx.convert(self.folder / "tagger", onnx)
        rows = np.arange(5).reshape(-1, 1)
        result = fluid2onnx.validate(self.folder / "tagger", onnx, inputs={"words": rows}, lod={"words": [[0, 2, 5]]})
        self.assertTrue(result.ok)
        # A model for one sequence agrees on one only.
        single = self.folder / "one.onnx"
        fluid2onnx.convert(self.folder / "tagger", single, lod="single")
        self.assertTrue(fluid2onnx.validate(self.folder / "tagger", single).ok)
        many = [fluid2onnx.validate(self.folder / "tagger", single, lod={"words": [list(range(0, 21, 2))]}, inputs={"words": np.random.default_rng(seed).integers(0, 8, (20, 1))}).ok for seed in range(4)]
        self.assertIn(False, many)

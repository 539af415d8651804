import io
import unittest

import numpy as np

from fluid2onnx.errors import ModelError
from fluid2onnx.tensor_stream import read_tensor, write_tensor


class TensorStreamTest(unittest.TestCase):
    def test_round_trip(self):
        arrays = [np.float32([[1, 2, 3]]), np.array(7, "int64"), np.zeros((0, 300), "float16"), np.array([True, False])]
        file = io.BytesIO()
        for array in arrays:
            write_tensor(file, array)
        file.seek(0)
        for array in arrays:
            got = read_tensor(file)
            self.assertEqual((got.dtype, got.shape), (array.dtype, array.shape))
            np.testing.assert_array_equal(got, array)
        self.assertEqual(file.read(), b"")

    def test_known_bytes(self):
        file = io.BytesIO()
        write_tensor(file, np.zeros(4, "float32"))
        self.assertEqual(file.getvalue()[:24], bytes.fromhex("00000000 0000000000000000 00000000 04000000 08051004"))

    def test_damage(self):
        file = io.BytesIO()
        write_tensor(file, np.zeros(4, "float32"))
        good = file.getvalue()
        for bad in (good[:-1], good[:10], b"", b"\x80\x02" + good[2:], good[:20] + b"\x08\x7f" + good[22:]):
            with self.subTest(bad=bad):
                self.assertRaises(ModelError, read_tensor, io.BytesIO(bad))

import unittest

import numpy as np

from fluid2onnx.compare import Tolerance, are_boxes, compare, compare_all, relative_error
from fluid2onnx.tolerances import MODEL_ATOL, MODEL_RTOL


class CompareTest(unittest.TestCase):
    def verdict(self, got, want, **tolerance):
        return compare("y", np.asarray(got), np.asarray(want), Tolerance(**tolerance)).verdict

    def test_dtype_shape_values(self):
        self.assertEqual(self.verdict([1.0], [1.0]), "ok")
        self.assertEqual(self.verdict(np.float32([1]), np.float64([1])), "dtype")
        self.assertEqual(self.verdict([[1.0]], [1.0]), "shape")
        self.assertEqual(self.verdict(np.float32(1), np.float32([1])), "shape")
        self.assertEqual(self.verdict([1.0], [1.1]), "values")

    def test_nan_and_infinity_equal_themselves(self):
        special = [np.nan, np.inf, -np.inf]
        self.assertEqual(self.verdict(special, special), "ok")
        self.assertEqual(self.verdict(special, special, rtol=0.0, atol=0.0), "ok")
        self.assertEqual(self.verdict([np.inf], [-np.inf]), "values")
        self.assertEqual(self.verdict([0.0], [np.nan]), "values")

    def test_integers_agree_exactly(self):
        self.assertEqual(self.verdict([2**60 + 1], [2**60]), "values")
        self.assertEqual(self.verdict([100], [101], atol=1.0), "ok")

    def test_half_precision_is_never_held_to_more_than_it_has(self):
        self.assertEqual(self.verdict(np.float16([1.001]), np.float16([1]), rtol=1e-6), "ok")

    def test_bfloat16_comes_as_bits(self):
        one, two, nan = 0x3F80, 0x4000, 0x7FC0
        self.assertEqual(self.verdict(np.uint16([one, nan]), np.uint16([one, nan])), "ok")
        self.assertEqual(self.verdict(np.uint16(one + 1), np.uint16(one)), "ok")
        self.assertEqual(self.verdict(np.uint16([two]), np.uint16([one])), "values")
        self.assertEqual(compare("y", np.float32([1]), np.uint16([one])).describe(), "y: float32, Paddle has bfloat16")

    def test_the_first_wrong_number_is_reported(self):
        def text(got, want):
            return compare("y", np.asarray(got), np.asarray(want)).describe()

        self.assertIn(": the first is 4 at [1, 0], Paddle has 3", text([[1.0, 2.0], [4.0, 5.0]], [[1.0, 2.0], [3.0, 4.0]]))
        self.assertIn(": the first is 1152921504606846977 at [0], Paddle has 1152921504606846976", text([2**60 + 1], [2**60]))
        self.assertIn(": it is True, Paddle has False", text(True, False))
        self.assertIn(": the first is 2 at [1], Paddle has 1", text(np.uint16([0x3F80, 0x4000]), np.uint16([0x3F80, 0x3F80])))
        self.assertIn(": the first is nan at [0], Paddle has 1+2j", text(np.complex64([np.nan]), np.complex64([1 + 2j])).replace("nan+0j", "nan"))

    def test_scaled(self):
        self.assertEqual(self.verdict([1e4, 0.1], [1e4, 0.0], rtol=0.0, atol=1e-4, scaled=True), "ok")
        self.assertEqual(self.verdict([1.0, 0.1], [1.0, 0.0], rtol=0.0, atol=1e-4, scaled=True), "values")

    def test_outputs_of_models_have_errors_of_the_size_of_their_largest_number(self):
        def verdict(got, want):
            return self.verdict(got, want, rtol=MODEL_RTOL, atol=MODEL_ATOL, scaled=True, unit=1.0)

        # ResNet-18 with random weights, on a processor with AMX.
        self.assertEqual(verdict([72.00263, -1.85489655e-4], [72.00263, -1.95980072e-4]), "ok")
        self.assertEqual(verdict([72.0, 1e-3], [72.0, 0.0]), "values")
        self.assertEqual(verdict([0.5, 2e-5], [0.5, 0.0]), "values")
        self.assertEqual(verdict([1000, 5000], [1000, 5001]), "values")

    def test_empty(self):
        self.assertEqual(self.verdict(np.zeros((0, 3)), np.zeros((0, 3))), "ok")

    def test_number_of_outputs(self):
        self.assertEqual(compare_all(["y"], [], [np.zeros(1)])[1], "0 outputs, Paddle has 1")

    def test_complex_outputs_are_pairs(self):
        self.assertEqual(compare_all(["y"], [np.array([[1, 2]], np.float32)], [np.array([1 + 2j], np.complex64)])[1], "")

    def test_boxes_that_ties_choose(self):
        def rows(*scores_and_places):
            return np.array([[0, score, place, place, place + 1, place + 1] for score, place in scores_and_places], np.float32)

        want = rows((0.9, 1), (0.5, 2), (0.5, 3), (0.2, 4))
        other = rows((0.9, 1), (0.5, 2), (0.5, 7), (0.2, 4))
        found, error = compare_all(["boxes"], [other], [want], ties=True)
        self.assertEqual((error, "1 of 4 boxes differ: other boxes have the same scores" in found[0].note), ("", True))
        for wrong in (rows((0.9, 8), (0.5, 2), (0.5, 3), (0.2, 4)), rows((0.9, 1), (0.5, 2), (0.4, 3), (0.2, 4)), want[:3]):
            self.assertRegex(compare_all(["boxes"], [wrong], [want], ties=True)[1], "1 of 4 boxes differ")
        self.assertNotEqual(compare_all(["boxes"], [other], [want])[1], "")

    def test_what_boxes_are(self):
        """Logits of many classes, or of six, are none."""
        box = np.array([[3, 0.5, 1, 1, 2, 2]], np.float32)
        logits = np.array([[0.3, 0.5, 1, 1, 2, 2]], np.float32)
        self.assertEqual([are_boxes(array) for array in (box, logits, np.zeros((1, 1000), np.float32), box[0])], [True, False, False, False])

    def test_relative_error(self):
        want = np.array([3.0, 4.0, np.inf], np.float32)
        self.assertEqual(relative_error(want, want), 0.0)
        self.assertAlmostEqual(relative_error(want + np.float32(0.5), want), np.sqrt(0.5) / 5, places=6)
        self.assertEqual(relative_error(want[:2], want), np.inf)
        self.assertEqual(relative_error(np.array([1, 2]), np.array([1, 3])), 0.5)

    def test_boxes_of_equal_scores_have_no_order(self):
        boxes = np.float32([[0, 0.9, 1, 2, 3, 4], [1, 0.5, 5, 6, 7, 8], [2, 0.5, 9, 9, 9, 9]])
        masks = np.arange(12).reshape(3, 2, 2)
        swapped = [0, 2, 1]
        names = ["boxes", "masks"]
        found, error = compare_all(names, [boxes[swapped], masks[swapped]], [boxes, masks], ties=True)
        self.assertEqual((error, {item.note for item in found}), ("", {"rows of equal scores in another order"}))
        self.assertNotEqual(compare_all(names, [boxes[swapped], masks[swapped]], [boxes, masks])[1], "")
        self.assertNotEqual(compare_all(names, [boxes[swapped], masks], [boxes, masks], ties=True)[1], "")
        self.assertNotEqual(compare_all(["boxes"], [boxes[[1, 0, 2]]], [boxes], ties=True)[1], "")
        wrong = boxes[swapped] + np.float32([0, 0, 0, 0, 0, 1])
        self.assertNotEqual(compare_all(["boxes"], [wrong], [boxes], ties=True)[1], "")

    def test_random_outputs(self):
        self.assertTrue(compare("y", np.zeros(2), np.ones(2), values=False).ok)
        self.assertFalse(compare("y", np.zeros(2), np.ones(3), values=False).ok)

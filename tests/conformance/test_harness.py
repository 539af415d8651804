"""Unit tests of the harness: python -m unittest discover -s tests/conformance"""
import os
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np

from harness import judge
from harness.batch import Batch, Reply
from harness.cases import Case, parse_opsets
from harness.operands import OperandError, draw
from harness.pool import Crash, Pool, Stage
from harness.report import ranges
from harness.verify import FAILED, REFUSED, check_refusals


def _work(state, task, emit):
    emit(Stage(task))
    if task == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if task == "hang":
        time.sleep(60)
    if task == "raise":
        raise ValueError("a bug")
    emit(state + task)


class PoolTest(unittest.TestCase):
    def run_tasks(self, *tasks):
        with tempfile.TemporaryDirectory() as folder:
            pool = Pool(lambda: "did ", _work, 2, 1.0, folder)
            for task in tasks:
                pool.add(task)
            return list(pool.run())

    def test_tasks_end(self):
        self.assertEqual(sorted(self.run_tasks("a", "b", "c"), key=str),
                         sorted([(t, e) for t in "abc" for e in (f"did {t}", None)], key=str))

    def test_a_crash_is_reported_and_the_rest_runs(self):
        events = self.run_tasks("crash", "a", "b")
        crash = next(event for task, event in events if isinstance(event, Crash))
        self.assertEqual(crash.stage, "crash")
        self.assertIn("SIGSEGV", crash.what)
        self.assertIn(("b", "did b"), events)

    def test_a_hang_is_ended(self):
        events = self.run_tasks("hang", "a")
        self.assertIn("no answer", next(event for _, event in events if isinstance(event, Crash)).what)
        self.assertIn(("a", "did a"), events)

    def test_an_exception_is_a_crash(self):
        events = self.run_tasks("raise", "a")
        self.assertIn("a bug", next(event for _, event in events if isinstance(event, Crash)).what)
        self.assertIn(("a", "did a"), events)


FAKE = """
import json, os, signal, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["model"] == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    print(json.dumps({"ok": False, "code": "E_OPSET", "message": "two\\nlines", "lowest_opset": request["opset"] + 1}), flush=True)
"""


class BatchTest(unittest.TestCase):
    def test_answers_and_crashes(self):
        batch = Batch([sys.executable, "-c", FAKE], 20)
        self.addCleanup(batch.close)
        reply = batch.convert("m", None, "o", 8)
        self.assertEqual((reply.ok, reply.code, reply.message, reply.lowest_opset), (False, "E_OPSET", "two lines", 9))
        crash = batch.convert("crash", None, "o", 8)
        self.assertTrue(crash.broken)
        self.assertIn("SIGSEGV", crash.message)
        self.assertEqual(batch.convert("m", None, "o", 9).lowest_opset, 10)


def refused(lowest=None, code="E_OPSET"):
    return Reply(False, code, "no", lowest)


def statuses(data, replies):
    checks, judged = check_refusals(Case({"op": "x", "example": "1", **data}), replies)
    return {opset: check.status for check in checks for opset in check.opsets}, judged


class RefusalTest(unittest.TestCase):
    def test_the_lowest_opset_has_to_be_true(self):
        replies = {7: refused(9), 8: refused(10), 9: Reply(True), 10: Reply(True)}
        self.assertEqual(statuses({}, replies), ({7: REFUSED, 8: FAILED}, [9, 10]))

    def test_refused_everywhere_fails(self):
        self.assertEqual(statuses({}, {7: refused(), 8: refused()})[0], {7: FAILED, 8: FAILED})

    def test_opsets_that_the_example_names(self):
        self.assertEqual(statuses({"opsets": "8+"}, {8: refused(9), 9: Reply(True)})[0], {8: FAILED})

    def test_expected_refusal(self):
        replies = {7: refused(code="E_A"), 8: refused(code="E_B"), 9: Reply(True)}
        self.assertEqual(statuses({"refused": "E_A"}, replies), ({7: REFUSED, 8: FAILED, 9: FAILED}, []))

    def test_a_crash_is_no_refusal(self):
        self.assertEqual(statuses({}, {7: Reply(False, "CRASH", "boom"), 8: Reply(True)})[0], {7: FAILED})


class CasesTest(unittest.TestCase):
    def test_opsets(self):
        self.assertEqual(list(parse_opsets("26+")), [26, 27, 28])
        self.assertEqual(list(parse_opsets("11..12")), [11, 12])
        self.assertEqual(list(parse_opsets("13")), [13])
        self.assertEqual(list(parse_opsets(None)), list(range(7, 29)))
        self.assertRaises(ValueError, parse_opsets, "new")
        self.assertEqual(ranges([7, 8, 9, 13]), "7..9,13")

    def test_the_key_is_that_of_the_reference(self):
        case = {"op": "relu", "example": "1", "inputs": {}, "line": 3}
        self.assertEqual(Case(case).key("2.6.2"), Case({**case, "line": 4, "tol": {"rtol": 1}}).key("2.6.2"))
        self.assertNotEqual(Case(case).key("2.6.2"), Case({**case, "attrs": {"a": 1}}).key("2.6.2"))
        self.assertNotEqual(Case(case).key("2.6.2"), Case(case).key("2.6.1"))


class DistributionTest(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(1)
        self.expected = judge.Expected({}, [self.rng.normal(size=20000)], ["Out"], random=True)

    def problem(self, got):
        return judge._compare([got], self.expected)

    def test_the_same(self):
        self.assertEqual(self.problem(self.rng.normal(size=20000)), "")

    def test_another_deviation_or_mean(self):
        self.assertIn("distribution", self.problem(self.rng.normal(size=20000) * 1.15))
        self.assertIn("distribution", self.problem(self.rng.normal(size=20000) + 0.1))

    def test_another_shape(self):
        self.assertIn("shape", self.problem(self.rng.normal(size=10000)))


class OperandTest(unittest.TestCase):
    def draw(self, **operand):
        return draw({"name": "x", "dtype": "float32", "shape": [40], **operand}, "seed")

    def test_repeatable(self):
        np.testing.assert_array_equal(self.draw(), self.draw())

    def test_range(self):
        values = self.draw(dtype="int64", range=[0, 3])
        self.assertEqual(set(values), {0, 1, 2})
        self.assertEqual(set(self.draw(dtype="int32", range=[0, 3, True])), {0, 1, 2, 3})

    def test_kinds(self):
        self.assertEqual(sorted(self.draw(dtype="int64", permutation=True)), list(range(40)))
        self.assertEqual(len(set(self.draw(unique=True))), 40)
        self.assertTrue((np.diff(self.draw(sorted=True)) >= 0).all())
        self.assertTrue((np.abs(self.draw(nonzero=True)) >= 0.1 - 1e-6).all())
        boxes = self.draw(shape=[5, 4], boxes=True, range=[0, 100])
        self.assertTrue((boxes[:, 2:] > boxes[:, :2]).all() and boxes.max() <= 100)
        self.assertRaises(OperandError, self.draw, dtype="int64", range=[0, 4], unique=True)

    def test_values(self):
        np.testing.assert_array_equal(self.draw(shape=[3], values=[1, "nan", "-inf"]), np.float32([1, np.nan, -np.inf]))
        self.assertEqual(self.draw(shape=[2], dtype="bfloat16", values=[1.0, -2.0]).tolist(), [0x3F80, 0xC000])


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parent)
    unittest.main()

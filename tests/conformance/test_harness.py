"""Unit tests of the harness: python -m unittest discover -s tests/conformance"""
import json
import os
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx

from fluid2onnx import executable
from harness import dtypes, freshness, judge, paddle_3
from harness.batch import Batch, Reply
from harness.cases import Case, parse_opsets, read_cases, select
from harness.operands import OperandError, draw
from harness.pool import Crash, Pool, Stage
from harness.report import ranges
from harness.verify import FAILED, PASSED, REFUSED, REJECTED, Check, Task, Tools, check_refusals, lines_of_spec
from harness.onnx_example import build, draw_all, run_onnx, verify_onnx
from run import one_for_each_reason


def _work(state, task, emit):
    emit(Stage(task))
    if task == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if task == "hang":
        time.sleep(60)
    if task == "raise":
        raise ValueError("a bug")
    emit(state + task)


class FreshnessTest(unittest.TestCase):
    """A converter is tested against the specs that it was built from."""

    def stale(self, built, now, older=False):
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder)
            (build / "bin").mkdir()
            (build / "rendered" / "generated").mkdir(parents=True)
            converter, opgen = build / "bin" / "fluid2onnx", build / "bin" / "opgen"
            source = build / "rendered" / "generated" / "math.cc"
            source.write_text(built)
            converter.write_text("")
            os.utime(source, (2, 2))
            os.utime(converter, (1, 1) if older else (3, 3))
            opgen.write_text(f'#!/bin/sh\nmkdir -p "$5/generated"\nprintf %s "{now}" > "$5/generated/math.cc"\n')
            opgen.chmod(0o755)
            return freshness.stale(converter, opgen, build)

    def test_fresh(self):
        self.assertIsNone(self.stale("a", "a"))

    def test_other_specs(self):
        self.assertIn("math.cc", self.stale("a", "b"))

    def test_rendered_but_not_built(self):
        self.assertIn("older", self.stale("a", "a", older=True))


class DeclaredTest(unittest.TestCase):
    """What a file declares of its inputs and outputs against what comes."""

    def problem(self, declared, shape, dtype=np.float32):
        ports = [judge.Port("x", 1, ["n", 3])], [judge.Port("y", 1, declared)]
        return judge.broken_promise(ports, {"x": np.zeros((2, 3), np.float32)}, [np.zeros(shape, dtype)])

    def test_unknown_is_no_promise(self):
        self.assertEqual(self.problem(None, [4]), "")
        self.assertEqual(self.problem([None, 3], [4, 3]), "")

    def test_sizes_and_ranks_are(self):
        self.assertEqual(self.problem([2, 3], [2, 3]), "")
        self.assertEqual(self.problem([12, 6], [10, 6]), "y: declared [12, 6], is [10, 6]")
        self.assertEqual(self.problem([1], []), "y: declared [1], is []")

    def test_a_name_is_one_size(self):
        self.assertEqual(self.problem(["n", "m"], [2, 5]), "")
        self.assertEqual(self.problem(["n", "m"], [4, 5]), "y: declared ['n', 'm'], is [4, 5] (n is 2 elsewhere)")
        self.assertIn("m is 5 elsewhere", self.problem(["m", "m"], [5, 4]))

    def test_dtype(self):
        self.assertEqual(self.problem([2], [2], np.int64), "y: declared float32, is int64")


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


def statuses(data, replies, variant=False):
    checks, judged = check_refusals(Case({"op": "x", "example": "1", **data}, variant), replies)
    return {opset: check.status for check in checks for opset in check.opsets}, judged


class FailureTest(unittest.TestCase):
    def test_what_fails_alike_is_reported_once(self):
        checks = [Check([7, 8], FAILED, "mismatch: y"), Check([9], FAILED, "run: no"), Check([28], FAILED, "mismatch: y (by onnx.reference)")]
        merged = one_for_each_reason(checks)
        self.assertEqual([(check.opsets, check.reason) for check in merged], [([7, 8, 28], "mismatch: y"), ([9], "run: no")])
        self.assertEqual(checks[0].opsets, [7, 8])

    def test_lines_of_specs_are_below_the_repository(self):
        class Refuses:
            def convert(self, model, params, out, opset, specs):
                return Reply(False, raw={"spec": f"{specs[0]}:12, fluid2onnx:opspecs/lib/math.yaml:3"})

        with tempfile.TemporaryDirectory() as folder:
            tools = Tools(Refuses(), False, folder=SimpleNamespace(name=folder))
            reference = SimpleNamespace(model="", params=None)
            spec = "opspecs/activation/shrink.yaml"
            lines = lines_of_spec(tools, Case({"op": "x", "example": "1", "spec": spec}), reference, 13)
            self.assertEqual(lines, f"{spec}:12, opspecs/lib/math.yaml:3")
            self.assertEqual(lines_of_spec(tools, Case({"op": "x", "example": "1", "spec": "no.yaml"}), reference, 13), "")


class RefusalTest(unittest.TestCase):
    def test_the_lowest_opset_has_to_be_true(self):
        replies = {7: refused(9), 8: refused(10), 9: Reply(True), 10: Reply(True)}
        self.assertEqual(statuses({}, replies), ({7: REFUSED, 8: FAILED}, [9, 10]))

    def test_refused_everywhere_fails(self):
        self.assertEqual(statuses({}, {7: refused(), 8: refused()})[0], {7: FAILED, 8: FAILED})

    def test_a_variant_may_be_refused_with_a_reason(self):
        self.assertEqual(statuses({}, {7: refused(code="E_REQUIRE")}, variant=True)[0], {7: REFUSED})
        self.assertEqual(statuses({}, {7: refused(code="E_NO_VARIANT")}, variant=True)[0], {7: FAILED})

    def test_support_may_not_end(self):
        self.assertEqual(statuses({}, {7: Reply(True), 8: refused(7)}), ({8: FAILED}, [7]))
        self.assertEqual(statuses({"opsets": "7..7"}, {7: Reply(True)}), ({}, [7]))
        # ONNX Runtime may lack the kernel of a newer version for a dtype.
        self.assertEqual(statuses({}, {7: Reply(True), 8: refused(7)}, variant=True)[0], {8: REFUSED})

    def test_opsets_that_the_example_names(self):
        self.assertEqual(statuses({"opsets": "8+"}, {8: refused(9), 9: Reply(True)})[0], {8: FAILED})
        # They are named for the dtypes of the example; another dtype may need a newer ONNX.
        replies = {8: refused(13), 9: refused(), 13: Reply(True)}
        self.assertEqual(statuses({"opsets": "8..9"}, replies, variant=True)[0], {8: REFUSED, 9: FAILED})

    def test_expected_refusal(self):
        replies = {7: refused(code="E_A"), 8: refused(code="E_B"), 9: Reply(True)}
        self.assertEqual(statuses({"refused": "E_A"}, replies), ({7: REFUSED, 8: FAILED, 9: FAILED}, []))

    def test_a_crash_is_no_refusal(self):
        self.assertEqual(statuses({}, {7: Reply(False, "CRASH", "boom"), 8: Reply(True)})[0], {7: FAILED})


class ReferenceTest(unittest.TestCase):
    """Above ONNX Runtime's newest opset, onnx.reference runs the model."""

    def verdict(self, indices, operator):
        from onnx import TensorProto, helper

        opset = executable.opsets()[-1]
        self.assertGreater(opset, judge.RUNTIME_OPSET)
        ports = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"]), helper.make_tensor_value_info("i", TensorProto.INT64, ["k"])]
        graph = helper.make_graph(
            [helper.make_node(operator, ["x", "i"], ["y"])], "g", ports, [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["m"])]
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        x = np.arange(3, dtype=np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            Path(path).write_bytes(model.SerializeToString())
            return judge.judge(path, opset, judge.Expected({"x": x, "i": np.array(indices)}, [x[[2, 0]]], ["y"]))

    def test_what_it_runs_is_compared(self):
        self.assertEqual(self.verdict([2, 0], "Gather"), judge.Verdict(judge.PASS))
        self.assertEqual(self.verdict([2, 1], "Gather").status, "mismatch")

    def test_what_it_cannot_run_is_named(self):
        verdict = self.verdict([5], "Gather")
        self.assertEqual((verdict.ok, verdict.ran, verdict.gap), (True, False, "Gather (IndexError)"))

    def test_anything_else_fails(self):
        verdict = self.verdict([2], "Reshape")
        self.assertEqual(verdict.status, "run")
        self.assertRegex(verdict.reason, "^[A-Za-z]*Error of Reshape: .*by onnx.reference")


class CasesTest(unittest.TestCase):
    def test_opsets(self):
        known = executable.opsets()
        self.assertEqual(parse_opsets("26+"), range(26, known[-1] + 1))
        self.assertEqual(list(parse_opsets("11..12")), [11, 12])
        self.assertEqual(list(parse_opsets("13")), [13])
        self.assertEqual(parse_opsets(None), known)
        self.assertRaises(ValueError, parse_opsets, "new")
        self.assertEqual(ranges([7, 8, 9, 13]), "7..9,13")

    def test_the_key_is_that_of_the_reference(self):
        case = {"op": "relu", "example": "1", "inputs": {}, "line": 3}
        self.assertEqual(Case(case).key("2.6.2"), Case({**case, "line": 4, "tol": {"rtol": 1}}).key("2.6.2"))
        self.assertNotEqual(Case(case).key("2.6.2"), Case({**case, "attrs": {"a": 1}}).key("2.6.2"))
        self.assertNotEqual(Case(case).key("2.6.2"), Case(case).key("2.6.1"))


def example(op="gather", number="0", attrs=None, **inputs):
    operands = {}
    for slot, (dtype, *rest) in inputs.items():
        operands[slot] = [{"name": slot, "dtype": dtype, "shape": [2], **(rest[0] if rest else {})}]
    return Case({"op": op, "example": number, "inputs": operands, "attrs": attrs or {}})


SQUEEZE = {
    "op": "Squeeze", "example": "0", "compare": ["squeezed"], "const": ["axes"], "dyn": {"data": [0]},
    "inputs": {
        "data": [{"name": "data", "dtype": "float32", "shape": [2, 1]}],
        "axes": [{"name": "axes", "dtype": "int64", "shape": [1], "values": [1]}],
    },
    "onnx": {"op": "Squeeze", "domain": "", "nodes": [
        {"first": 11, "last": 12, "inputs": [{"name": "data"}], "outputs": ["squeezed"],
         "attrs": {"axes": {"operand": "axes", "type": "ints"}}},
        {"first": 13, "last": 20, "inputs": [{"name": "data"}, {"name": "axes"}], "outputs": ["squeezed"], "attrs": {}},
    ]},
}


class WayBackTest(unittest.TestCase):
    """Examples of ONNX's operators."""

    def test_they_are_apart_from_those_of_paddle(self):
        text = json.dumps([SQUEEZE, {"op": "relu", "example": "0"}])
        self.assertEqual([case.op for case in read_cases(text)], ["relu"])
        self.assertEqual([case.op for case in read_cases(text, onnx=True)], ["Squeeze"])

    def test_a_model_of_each_version(self):
        case = Case(SQUEEZE)
        arrays = draw_all(case)
        older, newer = (build(case, node, node["first"], arrays) for node in SQUEEZE["onnx"]["nodes"])
        self.assertEqual([list(item.ints) for item in older.graph.node[0].attribute], [[1]])
        self.assertEqual([tensor.name for tensor in newer.graph.initializer], ["axes"])
        self.assertEqual(newer.graph.input[0].type.tensor_type.shape.dim[0].dim_param, "data_0")
        with tempfile.TemporaryDirectory() as folder:
            for model in (older, newer):
                path = os.path.join(folder, "model.onnx")
                onnx.save(model, path)
                truth = run_onnx(path, model.opset_import[0].version, {"data": arrays["data"]}, None)
                self.assertEqual((truth.who, truth.outputs[0].shape), ("ONNX Runtime", (2,)))

    def test_a_refusal_counts_for_the_opsets_of_a_version(self):
        class Refusing:
            def convert(self, model, params, out, opset):
                return Reply(False, "E_REQUIRE", "not today")

        def statuses(case):
            checks = []
            verify_onnx(Tools(Refusing(), True), Task(case, Path(), [11, 12, 13]), checks.append)
            return [(check.opsets, check.status) for check in checks if isinstance(check, Check)]

        self.assertEqual(statuses(Case(SQUEEZE)), [([11, 12], FAILED), ([13], FAILED)])
        self.assertEqual(statuses(Case({**SQUEEZE, "refused": "E_REQUIRE"})), [([11, 12], REFUSED), ([13], REFUSED)])
        self.assertEqual(statuses(Case({**SQUEEZE, "refused": "E_SHAPE"})), [([11, 12], FAILED), ([13], FAILED)])


class Paddle3Test(unittest.TestCase):
    def test_what_the_worker_is_asked(self):
        case = example("slice_v3", attrs={"axes": {"type": "ints", "value": [1]}}, input=("float32",), starts=("int64",),
                       ends=("int64",))
        case.data.update(const=["ends"], outputs={"out": 1}, dyn={"input": [0]}, paddle_3={
            "op": "slice",
            "arguments": [
                {"name": "input", "slots": ["input"]},
                {"name": "axes", "attr": "axes", "type": "ints"},
                {"name": "starts", "slots": ["starts"], "attr": "starts", "type": "ints"},
                {"name": "ends", "slots": ["ends"], "attr": "ends", "type": "ints"},
                {"name": "infer_flags", "attr": "infer_flags", "type": "ints", "default": [1]},
                {"name": "mask", "slots": ["mask"]},
            ],
            "results": ["xshape", "out"],
        })
        self.assertTrue(case.of_paddle_3)
        request, arrays = paddle_3._request(case)
        self.assertEqual(request["op"], "slice")
        self.assertEqual(request["fetch"], [["out", 1, 0]])
        self.assertEqual([argument.get("operands") or argument["value"] for argument in request["arguments"]],
                         [["input"], [1], ["starts"], arrays["ends"].tolist(), [1], None])
        self.assertEqual(request["variables"][0]["shape"][0], -1)
        self.assertFalse(Case({**case.data, "reference": [{}]}).of_paddle_3)


class DtypesTest(unittest.TestCase):
    def variants(self, *cases, kernel=("float32", "int8")):
        return {case.name: case.data for case in dtypes.variants(cases, {"gather": kernel})}

    def test_data_and_indices_are_distinguished(self):
        found = self.variants(example(X=("float32",), Index=("int64",)), example(number="1", X=("int8",), Index=("int32",)))
        self.assertEqual(set(found), {"gather:0@int8", "gather:0@indices-int32"})  # those of the other are the same
        self.assertEqual(found["gather:0@int8"]["inputs"]["Index"][0]["dtype"], "int64")

    def test_what_examples_have_already_is_left_out(self):
        self.assertEqual(self.variants(example(X=("float32",)), example(number="1", X=("int8",))), {})

    def test_values_fit_the_dtype(self):
        def operand(**given):
            data = self.variants(example(X=("float32", given)))
            return data["gather:0@int8"]["inputs"]["X"][0] if data else None

        self.assertEqual(operand(range=[-0.5, 300.0])["range"], [0, 127, True])
        self.assertEqual(operand(range=[0.0, 3.0])["range"], [0, 2, True])
        self.assertEqual(operand(values=[1.4, [-2.0]])["values"], [1, [-2]])
        self.assertIsNone(operand(range=[0.1, 0.9]))
        self.assertIsNone(operand(values=[300.0]))
        self.assertIsNone(operand(values=["nan"]))
        self.assertIsNone(operand(boxes=True))

    def test_dtypes_in_attributes(self):
        found = self.variants(example(attrs={"dtype": {"type": "int", "value": 5}}))
        self.assertEqual(found["gather:0@dtype-int8"]["attrs"]["dtype"]["value"], 21)

    def test_an_example_names_its_variants(self):
        cases = dtypes.variants([example(X=("float32",))], {"gather": ["float32", "int8"]})
        self.assertEqual(select(cases, ["gather:0"]), cases)
        self.assertEqual(select(cases, ["gather:0@int8"]), cases)
        self.assertEqual(select(cases, ["gather:1"]), [])

    def test_the_table_has_the_best_of_each_dtype(self):
        known = {"gather": ["bool", "float32", "int8", "int32"]}
        given = [example(X=("float32",))]
        found = dict(zip(("bool", "int8", "int32"), dtypes.variants(given, known)))
        outcomes = [(found["bool"], REJECTED), (found["int8"], REFUSED), (found["int8"], PASSED), (found["int32"], REFUSED)]
        table = dtypes.table(given, outcomes, known)
        self.assertEqual(table, {"gather": {"verified": ["float32", "int8"], "refused": ["int32"], "rejected": ["bool"]}})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "dtypes.json"
            self.assertEqual(dtypes.read_table(path), {})
            dtypes.write_table(path, table)
            self.assertEqual(dtypes.read_table(path), table)
        self.assertEqual(dtypes.differences(table, table), [])
        self.assertEqual(dtypes.differences(table, {"gather": {"verified": ["float32"]}}), ["gather"])
        self.assertEqual(dtypes.differences({}, table), ["gather"])


class DistributionTest(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(1)
        self.expected = judge.Expected({}, [self.rng.normal(size=20000)], ["Out"], random=True)

    def problem(self, got):
        return judge.compare(["y"], [got], self.expected)

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

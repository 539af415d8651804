"""ONNX's backend tests: converted to Paddle, run by real Paddle, compared with ONNX's expected outputs.

    run.py [--fluid2onnx BINARY] [--data FOLDER [--also LIST]] [--only NAME]... [--paddle3 PYTHON [--format json]] [-j JOBS]

FOLDER is a `backend/test/data` as the `onnx` package has it; by default that of the installed one, whose node tests,
which newer packages make instead of holding, are made. Failures that expected.txt lists, with reasons, count as skipped;
one that passes is a failure, so that the list stays true. Paddle 3 has separate lists, expected-3.txt and,
of `--format json`, expected-json.txt. The same holds for refused.txt, which has what the converter refuses, and for a list of
`--also`: expected-1.17.txt, where FOLDER is of that version. Where the converter asks for values that the test feeds, they
become constants of the model.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from common import PaddleError, PaddleProcess, as_fed, read_expected

HERE = Path(__file__).resolve().parent

KINDS = ("node", "simple", "pytorch-operator", "pytorch-converted")
TOLERANCE = {"rtol": 1e-3, "atol": 1e-5}  # as ONNX's own runner, which takes the larger of its cases' and such
CONVERT_TIMEOUT = 60
RUN_TIMEOUT = 120

# Element types that Paddle 2.6 has no tensors of.
LACKING = {
    value
    for name, value in TensorProto.DataType.items()
    if name == "STRING" or name.startswith(("UINT16", "UINT32", "UINT64", "FLOAT8", "FLOAT4", "INT4", "UINT4", "INT2", "UINT2"))
}

# Tests of chance: which elements are zero is another matter in each run; the others have to be as they should.
RANDOM = ("test_bernoulli*", "test_training_dropout*")
MANY = 50  # this many elements are not all zeros by chance


@dataclass
class Case:
    """One test; `folder` has model.onnx and test_data_set_N."""

    kind: str
    name: str
    folder: Path
    rtol: float = 0
    atol: float = 0


@dataclass
class Result:
    """`stage`: passed, skipped, refused (by the converter), or failed."""

    case: Case
    stage: str
    message: str = ""


class NotForPaddle(Exception):
    """The test needs what Paddle has not."""


def find_cases(data: "Path | None", work: Path) -> list[Case]:
    """All tests, in order."""
    folder = data or Path(onnx.__file__).parent / "backend" / "test" / "data"
    cases = []
    for kind in KINDS:
        if (folder / kind).is_dir():
            cases += [Case(kind, path.name, path) for path in sorted((folder / kind).iterdir()) if (path / "model.onnx").exists()]
        elif kind == "node" and data is None:
            cases += list(made_cases(work / "data"))
    return cases


def made_cases(folder: Path) -> Iterator[Case]:
    """The node tests as the installed package makes them."""
    from onnx.backend.test.loader import load_model_tests

    for test in sorted(load_model_tests(kind="node"), key=lambda test: test.name):
        path = folder / test.name
        path.mkdir(parents=True)
        onnx.save(test.model, path / "model.onnx")
        for number, (inputs, outputs) in enumerate(test.data_sets):
            data_set = path / f"test_data_set_{number}"
            data_set.mkdir()
            for role, values, infos in (("input", inputs, test.model.graph.input), ("output", outputs, test.model.graph.output)):
                for i, (value, info) in enumerate(zip(values, infos)):
                    if not info.type.HasField("tensor_type"):
                        proto = onnx.ValueInfoProto()  # never read
                    else:
                        proto = value if isinstance(value, TensorProto) else numpy_helper.from_array(np.asarray(value), info.name)
                    (data_set / f"{role}_{i}.pb").write_bytes(proto.SerializeToString())
        yield Case("node", test.name, path, test.rtol, test.atol)


def refuse_foreign(model: onnx.ModelProto) -> None:
    """Raises NotForPaddle for what Paddle has no tensors of, and for other domains than ai.onnx."""
    graph = model.graph
    for info in [*graph.input, *graph.output]:
        if not info.type.HasField("tensor_type"):
            raise NotForPaddle("inputs or outputs that are no tensors")
    types = {info.type.tensor_type.elem_type for info in [*graph.input, *graph.output, *graph.value_info]}
    types |= {tensor.data_type for tensor in graph.initializer}
    for node in graph.node:
        types |= {attribute.t.data_type for attribute in node.attribute if attribute.HasField("t")}
        if node.op_type in ("Cast", "CastLike"):
            types |= {attribute.i for attribute in node.attribute if attribute.name == "to"}
    lacking = sorted(TensorProto.DataType.Name(value) for value in types & LACKING)
    if lacking:
        raise NotForPaddle("elements of type " + ", ".join(lacking))
    foreign = {node.domain for node in graph.node} - {"", "ai.onnx"} - {function.domain for function in model.functions}
    if foreign:
        raise NotForPaddle("operators of " + ", ".join(sorted(foreign)))


def read_arrays(folder: Path, role: str) -> list[np.ndarray]:
    arrays = []
    while (path := folder / f"{role}_{len(arrays)}.pb").exists():
        tensor = TensorProto()
        tensor.ParseFromString(path.read_bytes())
        arrays.append(numpy_helper.to_array(tensor))
    return arrays


def difference(case: Case, got: np.ndarray, want: np.ndarray) -> str:
    """"" if the arrays are the same as far as floats can be."""
    name = want.dtype.name
    want = as_fed(want)
    if got.dtype != want.dtype:
        return f"the output is {got.dtype}, expected {name}"
    if got.shape != want.shape:
        return f"the output has shape {list(got.shape)}, expected {list(want.shape)}"
    if name == "bfloat16":
        got, want = ((array.astype(np.uint32) << 16).view(np.float32) for array in (got, want))
    if any(fnmatch.fnmatchcase(case.name, pattern) for pattern in RANDOM) and "zero_ratio" not in case.name:
        return random_difference(got, want)
    if want.dtype.kind in "fc":
        near = np.allclose(got, want, rtol=max(TOLERANCE["rtol"], case.rtol), atol=max(TOLERANCE["atol"], case.atol), equal_nan=True)
        return "" if near else "the numbers differ"
    return "" if np.array_equal(got, want) else "the numbers differ"


def random_difference(got: np.ndarray, want: np.ndarray) -> str:
    """"" if elements that neither has as zero are the same, and each has some of both kinds."""
    both = (got != 0) & (want != 0)
    if not np.allclose(got[both], want[both], **TOLERANCE):
        return "the numbers that are not zero differ"
    if got.size >= MANY and ((got != 0).all() or not (got != 0).any()):
        return "the zeros are not there by chance"
    if want.max() == 1 and not np.isin(got, (0, 1)).all():
        return "other numbers than 0 and 1"
    return ""


def fix_sizes(model: onnx.ModelProto, data_set: Path, to: Path) -> set[str]:
    """Writes the model with what it is fed of one axis or none, but for the first, as constants. Gives their names."""
    fixed = onnx.ModelProto()
    fixed.CopyFrom(model)
    arrays = read_arrays(data_set, "input")
    if len(arrays) != len(model.graph.input) or model.graph.initializer:
        return set()
    names = {info.name for info, array in zip(model.graph.input, arrays) if array.ndim < 2} - {model.graph.input[0].name}
    for info, array in zip(model.graph.input, arrays):
        if info.name in names:
            fixed.graph.initializer.append(numpy_helper.from_array(array, info.name))
    kept = [info for info in model.graph.input if info.name not in names]
    del fixed.graph.input[:]
    fixed.graph.input.extend(kept)
    onnx.save(fixed, to)
    return names


class Runner:
    """One converter and one Paddle, used by one thread at a time."""

    def __init__(self, args: argparse.Namespace, work: Path):
        self._fluid2onnx = args.fluid2onnx
        self._paddle = PaddleProcess(args.paddle3, RUN_TIMEOUT, args.deployed)
        self._work = work
        self._model = work / f"m.{args.format}"
        work.mkdir()

    def close(self) -> None:
        self._paddle.close()

    def judge(self, case: Case) -> Result:
        try:
            model = onnx.load(case.folder / "model.onnx")
            refuse_foreign(model)
        except NotForPaddle as reason:
            return Result(case, "skipped", str(reason))
        data_sets = sorted(case.folder.glob("test_data_set_*"))
        path, fixed = case.folder / "model.onnx", set()
        problem = self._convert(case, path)
        if problem and problem.stage == "refused" and len(data_sets) == 1 and not problem.message.startswith("E_UNSUPPORTED"):
            # What has to be known while converting is fed only because every operand of these tests is.
            fixed = fix_sizes(model, data_sets[0], self._work.parent / f"{self._work.name}.onnx")
            if fixed and not self._convert(case, self._work.parent / f"{self._work.name}.onnx"):
                problem = None
        if problem:
            return problem
        for data_set in data_sets:
            message = self._run(case, model, data_set, fixed)
            if message:
                return Result(case, "failed", message)
        return Result(case, "passed") if data_sets else Result(case, "skipped", "no data")

    def _convert(self, case: Case, model: Path) -> "Result | None":
        for path in self._work.iterdir():
            path.unlink()
        command = [self._fluid2onnx, "convert", "--json", str(model), "-o", str(self._model)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=CONVERT_TIMEOUT)
        except subprocess.TimeoutExpired:
            return Result(case, "failed", f"no conversion in {CONVERT_TIMEOUT} s")
        if done.returncode == 0:
            return None
        try:
            first = json.loads(done.stdout)["errors"][0]
        except (ValueError, LookupError):
            return Result(case, "failed", f"the converter ended with {done.returncode}: {done.stderr.strip()[-200:]}")
        stage = "failed" if first["code"] in ("E_INTERNAL", "E_CHECK") else "refused"
        return Result(case, stage, f"{first['code']} {' '.join(first['message'].split())}")

    def _run(self, case: Case, model: onnx.ModelProto, data_set: Path, fixed: set[str]) -> str:
        inputs, expected = read_arrays(data_set, "input"), read_arrays(data_set, "output")
        weights = {tensor.name for tensor in model.graph.initializer} | fixed
        if len(inputs) == len(model.graph.input):  # some give initializers a value, too
            inputs = [array for array, info in zip(inputs, model.graph.input) if info.name not in weights]
        try:
            results = self._paddle.run(self._model, inputs)
        except PaddleError as error:
            return str(error)
        if len(results) != len(expected):
            return f"{len(results)} outputs, expected {len(expected)}"
        return next(filter(None, (difference(case, got, want) for got, want in zip(results, expected))), "")


def run(cases: list[Case], args: argparse.Namespace, work: Path) -> Iterator[Result]:
    runners: "queue.Queue[Runner]" = queue.Queue()
    for number in range(args.jobs):
        runners.put(Runner(args, work / f"runner-{number}"))

    def judge(case: Case) -> Result:
        runner = runners.get()
        try:
            return runner.judge(case)
        finally:
            runners.put(runner)

    try:
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as threads:
            yield from threads.map(judge, cases)
    finally:
        for _ in range(args.jobs):
            runners.get().close()


def weigh(result: Result, expected: list[tuple[str, str]], refused: list[tuple[str, str]]) -> Result:
    """What the lists of expected failures and refusals make of a result."""
    listed = refused if result.stage == "refused" else expected if result.stage == "failed" else [*expected, *refused]
    reason = next((reason for pattern, reason in listed if fnmatch.fnmatchcase(result.case.name, pattern)), None)
    if reason is None or result.stage == "skipped":
        return result
    if result.stage == "passed":
        return Result(result.case, "failed", f"passes, and is listed as a failure ({reason})")
    return Result(result.case, "skipped", reason)


def print_table(results: list[Result], stage: str, title: str) -> None:
    groups = collections.defaultdict(list)
    for result in results:
        if result.stage == stage:
            groups[re.sub(r"'[^']*[./:][^']*'|\d+", "_", result.message)].append(result)
    if groups:
        print(f"\n{title}")
    for members in sorted(groups.values(), key=lambda members: -len(members)):
        names = ", ".join(result.case.name for result in members[:3]) + (" ..." if len(members) > 3 else "")
        print(f"{len(members):5}  {members[0].message}  ({names})")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fluid2onnx", default=os.environ.get("FLUID2ONNX", "build/release/bin/fluid2onnx"))
    parser.add_argument("--data", type=Path, help="a backend/test/data of the onnx package")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a test, or a pattern of such; repeatable")
    parser.add_argument("--paddle3", metavar="PYTHON", help="a Python with Paddle 3, which runs the programs instead")
    parser.add_argument("--format", choices=["pdmodel", "json"], default="pdmodel", help="json: Paddle 3's own format; needs --paddle3")
    parser.add_argument("--deployed", action="store_true", help="by Paddle's predictor with its defaults, oneDNN among them")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", type=Path, metavar="FILE", help="write what became of each test to FILE")
    parser.add_argument("--also", type=Path, metavar="LIST", help="another list of known failures; a name behind ! is none")
    parser.add_argument("--no-expected", action="store_true", help="as if the list of known failures were empty")
    args = parser.parse_args()
    if args.format == "json" and not args.paddle3:
        parser.error("only Paddle 3 reads its own format: --format json needs --paddle3")
    if not shutil.which(args.fluid2onnx):
        parser.error(f"no program {args.fluid2onnx}")
    listed = HERE / ("expected-json.txt" if args.format == "json" else "expected-3.txt" if args.paddle3 else "expected.txt")
    expected = [] if args.no_expected else read_expected(listed)
    if args.also:
        also = read_expected(args.also)
        gone = {name[1:] for name, _ in also if name.startswith("!") and not args.paddle3}
        also = [(name.removeprefix("json:"), reason) for name, reason in also if args.format == "json" or not name.startswith("json:")]
        expected = [entry for entry in [*expected, *also] if entry[0] not in gone]
    refused = [] if args.no_expected else read_expected(HERE / "refused.txt")
    with tempfile.TemporaryDirectory(prefix="fluid2onnx-") as work:
        cases = find_cases(args.data, Path(work))
        if args.only:
            cases = [case for case in cases if any(fnmatch.fnmatchcase(case.name, pattern) for pattern in args.only)]
        results = [weigh(result, expected, refused) for result in run(cases, args, Path(work))]
    print_table(results, "skipped", "Skipped")
    print_table(results, "refused", "Refused")
    print_table(results, "failed", "Failed")
    if args.list:
        args.list.write_text("".join(f"{r.case.kind}/{r.case.name}\t{r.stage}\t{r.message}\n" for r in results))
    by_stage = collections.Counter(result.stage for result in results)
    failed = by_stage["failed"] + by_stage["refused"]
    print(f"\n{by_stage['refused']} refused, {by_stage['failed']} wrong")
    print(f"{by_stage['passed']} passed, {failed} failed, {by_stage['skipped']} skipped")
    return 1 if failed or not by_stage["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""There and back: programs of Paddle become ONNX and programs again, which have to give what the first ones gave.

    round_trips.py [--fluid2onnx BINARY] [--only OP[:EXAMPLE]]... [--opset N]... [--models FOLDER]... [--quick] [-j JOBS]

The programs are those of the specs' examples, with the references of tests/conformance, and with --models whole models in
folders: a program beside inputs.npz (with its sequences in "lod" of meta.json), or io.npz. Models that ONNX cannot express at an opset do not count;
models that Paddle cannot express again are refused. Refusals and results that differ fail, but for those that refused-round_trips.txt
and round_trips.txt list with reasons; what is listed and passes fails, too. With --format json what comes back is Paddle 3's own
format, which Paddle 3 runs, and which becomes ONNX again; the lists are refused-round_trips-json.txt and round_trips-json.txt.
"""
import argparse
import collections
import fnmatch
import json
import os
import re
import sys
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from common import PaddleError, PaddleProcess, as_fed, read_expected  # which makes the harness known

HERE = Path(__file__).resolve().parent
from harness import ROOT, judge, paddle_3  # noqa: E402
from harness.batch import Batch  # noqa: E402
from harness.cases import Case, Reference, ask_opgen, load_reference, load_rejection, read_cases, select  # noqa: E402
from harness.operands import OperandError  # noqa: E402
from harness.pool import Crash, Emit, Pool, Stage  # noqa: E402

import numpy as np  # noqa: E402
from fluid2onnx import executable, onnx_model  # noqa: E402
from fluid2onnx.compare import Tolerance  # noqa: E402
from fluid2onnx.errors import MissingPackageError, ModelError  # noqa: E402
from fluid2onnx.layout import find_program  # noqa: E402

OPSETS = (9, 13, 17, 21)
AGAIN = 21  # the opset of what is read again
PASSED, REFUSED, FAILED, ABSENT, LISTED = "passed", "refused", "failed", "absent", "listed"
# Whole models, of random weights: small numbers are differences of large ones.
MODEL_TOLERANCE = Tolerance(1e-3, 1e-4, scaled=True)


@dataclass
class Task:
    """A program to send there and back, at these opsets."""

    name: str
    opsets: List[int]
    case: Optional[Case] = None
    folder: Path = Path()  # of the reference, or of the model


@dataclass
class Verdict:
    opset: int  # 0: about the case as a whole
    status: str
    message: str = ""


@dataclass
class Tools:
    """What a worker keeps from task to task."""

    batch: Batch
    paddle_3: Optional[paddle_3.Paddle3]
    runner: Optional[PaddleProcess]  # of a Paddle 3 that runs the results
    suffix: str = "pdmodel"
    convert_only: bool = False
    folder: "tempfile.TemporaryDirectory[str]" = field(default_factory=lambda: tempfile.TemporaryDirectory(prefix="round-trips-"))


@dataclass
class Program:
    """What goes there, and what it gave."""

    model: str
    params: Optional[str]
    expected: judge.Expected
    options: Dict[str, str] = field(default_factory=dict)


def program_of_example(tools: Tools, task: Task) -> Optional[Program]:
    """Nothing where Paddle has no program for the example."""
    assert task.case is not None
    if load_rejection(task.folder) is not None:
        return None
    reference: Optional[Reference] = load_reference(task.folder)
    if reference is None and task.case.of_paddle_3:
        reference = tools.paddle_3.make_reference(task.case, task.folder) if tools.paddle_3 else None
    elif reference is None:
        from harness import oracle

        reference = oracle.make_reference(task.case, task.folder)
    if reference is None:
        return None
    expected = judge.Expected(
        reference.inputs, reference.outputs, reference.names, task.case.tolerance, reference.lod, reference.output_lod,
        random=bool(task.case.data.get("random")),
    )
    return Program(reference.model, reference.params, expected, {"lod": "lengths"} if any(reference.output_lod) else {})


def program_of_model(task: Task) -> Program:
    """A model with its recorded inputs and outputs."""
    from fluid2onnx import paddle_model

    model = str(find_program(task.folder))
    io = task.folder / "io.npz"
    if io.exists():
        with np.load(io) as data:
            named = {name: data[name] for name in data.files}
        inputs = {name[3:]: array for name, array in named.items() if name.startswith("in_")}
    else:
        with np.load(task.folder / "inputs.npz") as data:
            named = {name: data[name] for name in data.files}
        inputs = {name: array for name, array in named.items() if not name.endswith(".lod")}
    lod = {name[:-4]: [list(map(int, level)) for level in np.atleast_2d(array)] for name, array in named.items() if name.endswith(".lod")}
    meta = task.folder / "meta.json"
    if meta.exists():
        lod = {**(json.loads(meta.read_text()).get("lod") or {}), **lod}
    first = paddle_model.load(model)
    if not set(inputs) >= {feed.name for feed in first.feeds}:
        inputs = dict(zip((feed.name for feed in first.feeds), inputs.values()))
    outputs, levels = first.run_with_lod(inputs, lod)
    return Program(model, None, judge.Expected(inputs, outputs, first.outputs, MODEL_TOLERANCE, lod, levels, ties=True))


def work(tools: Tools, task: Task, emit: Emit) -> None:
    """Emits a verdict for each opset."""
    emit(Stage(0))
    try:
        program = program_of_example(tools, task) if task.case else program_of_model(task)
    except (ModelError, OperandError) as error:
        emit(Verdict(0, ABSENT, str(error)))
        return
    if program is None:
        emit(Verdict(0, ABSENT, "no program"))
        return
    known: Dict[bytes, Verdict] = {}
    for opset in task.opsets:
        emit(Stage(opset))
        onnx = os.path.join(tools.folder.name, "there.onnx")
        reply = tools.batch.convert(program.model, program.params, onnx, opset, **program.options)
        if not reply.ok:
            emit(Verdict(opset, ABSENT, reply.code))
            continue
        # The same nodes in the same versions give the same result.
        key = judge.fingerprint(onnx, opset)
        if key not in known:
            known[key] = go_back(tools, onnx, program.expected)
        emit(Verdict(opset, known[key].status, known[key].message))


def go_back(tools: Tools, onnx: str, expected: judge.Expected) -> Verdict:
    back = os.path.join(tools.folder.name, f"back.{tools.suffix}")
    reply = tools.batch.convert(onnx, None, back, None)  # type: ignore[arg-type]
    if not reply.ok:
        broken = reply.broken or reply.code in ("E_INTERNAL", "E_CHECK")
        return Verdict(0, FAILED if broken else REFUSED, f"{reply.code} {reply.message}")
    if tools.convert_only:
        return Verdict(0, PASSED)
    try:
        names, got = run_by_paddle_3(tools.runner, back, expected) if tools.runner else run(back, expected)
    except (ModelError, PaddleError) as error:
        return Verdict(0, FAILED, str(error))
    difference = judge.compare(names, got, expected)
    if not difference and tools.suffix == "json":
        difference = go_there_again(tools, back, expected)
    return Verdict(0, FAILED if difference else PASSED, difference)


def go_there_again(tools: Tools, program: str, expected: judge.Expected) -> str:
    """"" if the result, converted to ONNX again, gives the same outputs: Paddle 3's own format is also read back."""
    again = os.path.join(tools.folder.name, "again.onnx")
    reply = tools.batch.convert(program, None, again, AGAIN)
    if not reply.ok:
        return f"read again: {reply.code} {reply.message}"
    try:
        session = onnx_model.session(again)
        ports = [port.name for port in session.get_outputs()]
        got = onnx_model.run(session, onnx_model.match_inputs([port.name for port in session.get_inputs()], expected.inputs, expected.lod))
    except ModelError as error:
        return f"read again: {error}"
    difference = judge.compare(ports, got, expected)
    return f"read again: {difference}" if difference else ""


def run(model: str, expected: judge.Expected) -> Tuple[List[str], List[np.ndarray]]:
    from fluid2onnx import paddle_model

    loaded = paddle_model.load(model)
    feeds = onnx_model.match_inputs([feed.name for feed in loaded.feeds], expected.inputs, expected.lod)
    return loaded.outputs, loaded.run({name: as_fed(array) for name, array in feeds.items()})


def run_by_paddle_3(runner: PaddleProcess, model: str, expected: judge.Expected) -> Tuple[List[str], List[np.ndarray]]:
    """By position, since the predictor may call its outputs otherwise."""
    inputs, outputs = ports_of(model)
    feeds = onnx_model.match_inputs(inputs, expected.inputs, expected.lod)
    return outputs, runner.run(Path(model), [feeds[name] for name in inputs])


def ports_of(model: str) -> Tuple[List[str], List[str]]:
    """What a program calls its inputs and outputs. Paddle 2 does not load Paddle 3's own format."""
    if not model.endswith(".json"):
        from fluid2onnx import paddle_model

        loaded = paddle_model.load(model)
        return [feed.name for feed in loaded.feeds], loaded.outputs
    operators = json.loads(Path(model).read_text())["program"]["regions"][0]["blocks"][0]["ops"]

    def names(kind: str) -> List[str]:
        attributes = [op["A"] for op in operators if op["#"] == kind]
        return [attribute["AT"]["D"] for each in attributes for attribute in each if attribute["N"] == "name"]

    return names("1.data"), names("1.fetch")


def find_tasks(options: argparse.Namespace, command: Sequence[str]) -> Iterator[Task]:
    opsets = options.opset or list(OPSETS)
    if not options.models_only:
        opgen = options.opgen or str(Path(command[0]).with_name("opgen"))
        version_3 = paddle_3.version_of(options.paddle3)
        import paddle

        for case in select(read_cases(ask_opgen(opgen, ROOT)), options.only):
            if case.refused:
                continue
            key = case.key(version_3 if case.of_paddle_3 else paddle.__version__)
            there = [opset for opset in opsets if opset in case.opsets]
            if there:
                yield Task(case.name, there, case, options.cache / key[:2] / key)
    for parent in options.models:
        for folder in sorted(path for path in parent.iterdir() if path.is_dir()):
            if (folder / "inputs.npz").exists() or (folder / "io.npz").exists():
                if not options.only or folder.name in options.only:
                    yield Task(folder.name, opsets, None, folder)


def one_of(opsets: Sequence[int], name: str) -> List[int]:
    """One opset for each case, evenly."""
    return [opsets[zlib.crc32(name.encode()) % len(opsets)]]


def groups(results: Sequence[Tuple[Task, Verdict]], status: str) -> str:
    """A line for each message, with whom it is about."""
    found: Dict[str, List[str]] = collections.defaultdict(list)
    message: Dict[str, str] = {}
    for task, verdict in results:
        if verdict.status == status:
            key = re.sub(r"^(E_\w+) .*?: ", r"\1 ", verdict.message)
            key = re.sub(r"\d+|'[^']*'", "_", key) if status != FAILED else task.name + key
            found[key].append(f"{task.name}@{verdict.opset}")
            message.setdefault(key, verdict.message)
    lines = []
    for key, names in sorted(found.items(), key=lambda item: -len(item[1])):
        lines.append(f"{len(names):5}  {message[key][:300]}  ({', '.join(names[:4])}{' ...' if len(names) > 4 else ''})")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fluid2onnx", metavar="FILE", help="the converter (default: as the Python package finds it)")
    parser.add_argument("--opgen", metavar="FILE", help="opgen, to ask for the examples (default: beside the converter)")
    parser.add_argument("--only", metavar="OP[:EXAMPLE]", action="append", default=[], help="only these examples and models (repeatable)")
    parser.add_argument("--opset", metavar="N", type=int, action="append", default=[], help=f"go there at these opsets (default: {OPSETS})")
    parser.add_argument("--models", metavar="FOLDER", type=Path, action="append", default=[], help="models as well (repeatable)")
    parser.add_argument("--models-only", action="store_true", help="no examples")
    parser.add_argument("--quick", action="store_true", help="one opset for each example and model")
    parser.add_argument("--paddle3", metavar="PYTHON", help="the Python with Paddle 3, for examples that need it (default: that of scripts/test)")
    parser.add_argument("--run-by-3", action="store_true", help="run what comes back by Paddle 3's predictor")
    parser.add_argument("--format", choices=["pdmodel", "json"], default="pdmodel", help="json: Paddle 3's own format, run by it, and made ONNX again")
    parser.add_argument("--convert-only", action="store_true", help="run nothing that comes back: what is refused?")
    parser.add_argument("--cache", metavar="DIR", type=Path, help="where references are kept (default: as tests/conformance/run.py)")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for one step of a case (default: %(default)g)")
    parser.add_argument("--json", metavar="FILE", help="write what became of each case")
    parser.add_argument("--no-expected", action="store_true", help="as if the lists were empty")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    options.paddle3 = paddle_3.find(options.paddle3)
    options.run_by_3 = options.run_by_3 or options.format == "json"
    options.cache = options.cache or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fluid2onnx" / "references"
    try:
        command = [executable.use(options.fluid2onnx), "batch"]
        from harness import oracle  # noqa: F401  # before the workers are forked
    except MissingPackageError as error:
        print(f"round_trips.py: error: {error}", file=sys.stderr)
        return 2
    tasks = list(find_tasks(options, command))
    if options.quick:
        for task in tasks:
            task.opsets = one_of(task.opsets, task.name)
    results = run_all(tasks, options, command)
    suffix = "-json.txt" if options.format == "json" else ".txt"
    lists = [] if options.no_expected else [
        Known(HERE / f"round_trips{suffix}", FAILED), Known(HERE / f"refused-round_trips{suffix}", REFUSED),
    ]
    return tell(results, lists, options)


def run_all(tasks: Sequence[Task], options: argparse.Namespace, command: Sequence[str]) -> List[Tuple[Task, Verdict]]:
    def tools() -> Tools:
        newer = paddle_3.Paddle3(options.paddle3) if options.paddle3 else None
        runner = PaddleProcess(options.paddle3, options.timeout) if options.run_by_3 else None
        return Tools(Batch(command, options.timeout), newer, runner, options.format, options.convert_only)

    results: List[Tuple[Task, Verdict]] = []
    with tempfile.TemporaryDirectory(prefix="round-trips-") as scratch:
        pool = Pool(tools, work, options.jobs, options.timeout, scratch)
        for task in tasks:
            pool.add(task)
        for task, event in pool.run():
            if isinstance(event, Verdict):
                results.append((task, event))
            elif isinstance(event, Crash):
                results.append((task, Verdict(event.stage or 0, FAILED, event.what)))
                rest = [opset for opset in task.opsets if event.stage and opset > event.stage]
                if rest:
                    pool.add(Task(task.name, rest, task.case, task.folder))
    return results


class Known:
    """A list of what is known to fail, or to be refused."""

    def __init__(self, path: Path, status: str):
        self.name, self.status, self.reasons = path.name, status, read_expected(path)
        self.seen = {pattern: False for pattern, _ in self.reasons}  # to agree with the list
        self.passed = {pattern: False for pattern, _ in self.reasons}

    def weigh(self, task: Task, verdict: Verdict) -> Verdict:
        """The verdict, or that it is known."""
        for pattern, reason in self.reasons:
            if fnmatch.fnmatchcase(task.name, pattern):
                self.passed[pattern] |= verdict.status == PASSED
                if verdict.status == self.status:
                    self.seen[pattern] = True
                    return Verdict(verdict.opset, LISTED, f"{reason}: {verdict.message}")
        return verdict

    def stale(self) -> List[str]:
        return [f"{pattern} is listed in {self.name}, and passes" for pattern in self.seen if self.passed[pattern] and not self.seen[pattern]]


def tell(results: List[Tuple[Task, Verdict]], lists: Sequence[Known], options: argparse.Namespace) -> int:
    weighed: List[Tuple[Task, Verdict]] = []
    for task, verdict in results:
        for known in lists:
            verdict = known.weigh(task, verdict)
        weighed.append((task, verdict))
    if options.json:
        Path(options.json).write_text(json.dumps([[task.name, verdict.opset, verdict.status, verdict.message] for task, verdict in results], indent=0))
    for status, title in ((LISTED, "Skipped, as listed"), (REFUSED, "Refused"), (FAILED, "Failed")):
        text = groups(weighed, status)
        if text:
            print(f"\n{title}\n{text}")
    # A quick run does not see all that fails.
    partly = options.quick or options.only or options.opset or options.run_by_3 or options.convert_only
    stale = [] if partly else [line for known in lists for line in known.stale()]
    if stale:
        print("\n".join(["", *stale]))
    counts = collections.Counter(verdict.status for _, verdict in weighed)
    operators: Dict[str, set] = collections.defaultdict(set)
    for task, verdict in weighed:
        operators[verdict.status].add(task.name.partition(":")[0])
    broken = operators[LISTED] | operators[REFUSED] | operators[FAILED]
    whole = operators[PASSED] - broken
    print(f"\n{counts[ABSENT]} cases that ONNX has not at the opset; {len(whole)} operators and models come back whole, "
          f"{len(broken)} do not")
    failed = counts[FAILED] + counts[REFUSED] + len(stale)
    print(f"{counts[PASSED]} passed, {failed} failed, {counts[LISTED]} skipped")
    return 1 if failed or not counts[PASSED] else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares conversions of random cases with Paddle; README.md explains.

    run.py --fluid2onnx build/release/bin/fluid2onnx                      what CI runs: fixed seeds
    run.py --fluid2onnx build/release/bin/fluid2onnx --seed 7 --minutes 60 --out found
    run.py --fluid2onnx build/release/bin/fluid2onnx --lod --each 200     200 cases of each operator over sequences
    run.py --fluid2onnx build/release/bin/fluid2onnx --attributes 2       each example with other values of each attribute
    run.py --fluid2onnx build/release/bin/fluid2onnx --replay found/matmul_v2-value-7-123.json
"""
import argparse
import json
import os
import random
import re
import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Set

from fuzz.cases import CALLS, OPERATOR, RandomCase
from fuzz.judging import ANY, KNOWN, ORDINARY, PADDLE, REJECTED, RUN, Outcome, Tools, worst
from fuzz.known import Known
from fuzz.mutate import Mutator
from fuzz.paste import paste
from fuzz.tally import Tally
from fuzz.work import Judged, Made, State, Task, maker, work
from harness import ROOT
from harness.batch import Batch
from harness.cases import ask_opgen, read_cases
from harness.pool import Crash, Pool
from harness.report import closing_line

from fluid2onnx import executable
from fluid2onnx.errors import MissingPackageError

# The bounded run, as scripts/test has it: about a minute on two cores.
SEED, CASES = 1, 2500
ROUND = 1000  # cases between two looks at the clock and at what is to be made smaller
SHRUNK = 3  # of one signature
PATIENCE = 10  # cases made for each that --each asks for


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--fluid2onnx", metavar="FILE", help="the converter (default: as the Python package finds it)")
    result.add_argument("--converter", metavar="COMMAND", help="another command that speaks the batch protocol")
    result.add_argument("--opgen", metavar="FILE", help="opgen, to ask for the examples (default: beside the converter, or on PATH)")
    result.add_argument("--examples", metavar="FILE", help="what 'opgen examples' wrote, instead")
    result.add_argument("--root", metavar="DIR", type=Path, default=ROOT, help="the repository (default: this one)")
    result.add_argument("--seed", type=int, default=SEED, help="other cases for each number (default: %(default)s)")
    result.add_argument("--first", type=int, default=0, metavar="N", help="the number of the first case (default: 0)")
    result.add_argument("--cases", type=int, metavar="N", help=f"number of cases (default: {CASES}, without --minutes)")
    result.add_argument("--minutes", type=float, metavar="M", help="stop after M minutes")
    result.add_argument("--only", metavar="NAME", action="append", default=[], help="only this operator or function, such as 'clip' or 'paddle.clip' (repeatable)")
    result.add_argument("--lod", action="store_true", help="only operators over sequences (LoD), whose sequences are others in each case")
    result.add_argument("--each", type=int, metavar="N", help="of each operator until N cases could be compared; --first and --seed hold for each of them")
    result.add_argument("--attributes", type=int, metavar="N", help="instead of random cases: each example with up to N other values of each attribute, one at a time")
    result.add_argument("--kind", choices=(OPERATOR, CALLS), help="only cases of this kind")
    result.add_argument("--values", choices=(ANY, ORDINARY), default=ANY, help="ordinary: count only cases of finite numbers that are neither large nor tiny (default: %(default)s)")
    result.add_argument("--opset", metavar="N", type=int, action="append", default=[], help="only these (repeatable); default: three for each case")
    result.add_argument("--replay", metavar="FILE", action="append", default=[], help="run this case, or one per line (repeatable)")
    result.add_argument("--paddle3", metavar="PYTHON", help="programs of Paddle 3 instead, made by this interpreter, which has it")
    result.add_argument("--no-shrink", action="store_true", help="leave failing cases as they are")
    result.add_argument("--out", metavar="DIR", type=Path, help="write failing cases there")
    result.add_argument("--json", metavar="FILE", help="write the counts")
    result.add_argument("--brief", action="store_true", help="no table by operator")
    result.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    result.add_argument("--timeout", type=float, default=60.0, help="seconds for one step of a case (default: %(default)g)")
    return result


class Failure:
    """A failing case, as small as it is known."""

    def __init__(self, case: RandomCase, outcome: Outcome):
        self.first = self.case = case
        self.outcome = outcome

    @property
    def file_name(self) -> str:
        subject = re.sub(r"[^\w]+", "-", self.case.subject)[:60]
        return f"{subject}-{self.outcome.kind}-{self.first.name}"

    def to_json(self) -> Dict[str, Any]:
        """What --replay reads."""
        return {
            "class": self.outcome.kind, "opset": self.outcome.opset, "detail": self.outcome.detail, "paste": paste(self.case).split("\n"),
            **json.loads(self.case.to_json()), "made_from": json.loads(self.first.to_json())["case"],
        }


class Run:
    """One run of the tester."""

    def __init__(self, options: argparse.Namespace, pool: Pool, known: Known):
        self.options, self.pool, self.known = options, pool, known
        self.tally = Tally()
        self.failures: List[Failure] = []
        self._signatures: Dict[str, int] = {}

    def round(self, tasks: Sequence[Task]) -> None:
        """Runs tasks, then makes what failed smaller."""
        done = self._judge(tasks)
        fresh = []
        for task in tasks:  # in their order, whichever worker was first
            if task.index in done:
                fresh += self._count(*done[task.index])
        self.failures += fresh
        if self.options.no_shrink or not fresh:
            return
        smaller = [Task(item.case.seed, item.case.index, item.case.to_json(), [item.outcome.opset], shrink=True) for item in fresh]
        done = self._judge(smaller)
        for item in fresh:
            if item.case.index in done:
                case, outcomes = done[item.case.index]
                found = worst(outcomes)
                if case is not None and found is not None:
                    item.case, item.outcome = case, found

    def _judge(self, tasks: Sequence[Task]) -> Dict[int, Any]:
        """By index, (case, outcomes) as last judged.

        A crash counts if it comes again: kernels that write beyond their memory let a later case of the process die.
        """
        done: Dict[int, Any] = {}
        made: Dict[int, RandomCase] = {}
        crashed: Set[int] = set()
        for task in tasks:
            self.pool.add(task)
        for task, event in self.pool.run():
            if isinstance(event, Made):
                made[task.index] = RandomCase.from_json(json.loads(event.text))
            elif isinstance(event, Judged):
                case = RandomCase.from_json(json.loads(event.text)) if event.text else None
                done[task.index] = (case, event.outcomes)
            elif isinstance(event, Crash) and not task.shrink:
                self.tally.crashes += 1
                if "Traceback" in event.what:  # the tester's own fault
                    print(f"case {task.seed}-{task.index}: {event.what}", file=sys.stderr)
                elif event.stage not in (None, PADDLE) and task.index not in crashed:
                    crashed.add(task.index)
                    self.pool.add(task)
                    continue
                outcome = Outcome(0, REJECTED, event.what) if event.stage in (None, PADDLE) else Outcome(int(event.stage), RUN, event.what, ordinary=True)
                done[task.index] = (made.get(task.index), [outcome])
        return done

    def _count(self, case: Optional[RandomCase], outcomes: List[Outcome]) -> List[Failure]:
        """Counts a case; gives its failure if its like was not seen often."""
        if case is None:
            case = RandomCase({}, self.options.seed, -1)
        for outcome in outcomes:
            entry = self.known.find(case, outcome) if outcome.failed else None
            if entry is not None:
                outcome.kind = KNOWN
                self.tally.known[entry["reason"]] += 1
        self.tally.add(case, outcomes)
        first = worst(outcomes)
        if first is None:
            return []
        signature = f"{case.subject}: {first.signature}"
        self._signatures[signature] = self._signatures.get(signature, 0) + 1
        return [Failure(case, first)] if self._signatures[signature] <= SHRUNK else []


def print_failures(failures: Sequence[Failure]) -> None:
    """Each with its case."""
    for item in failures:
        print(f"\nFAILED {item.first.name} {item.case.subject}: {item.outcome.kind} at opset {item.outcome.opset}\n  {item.outcome.detail}")
        print("\n".join(f"    {line}" for line in paste(item.case).split("\n")))


def save_failures(failures: Sequence[Failure], folder: Path) -> None:
    """One file for each."""
    folder.mkdir(parents=True, exist_ok=True)
    for item in failures:
        (folder / f"{item.file_name}.json").write_text(json.dumps(item.to_json(), indent=1) + "\n")


def save_counts(run: Run, options: argparse.Namespace, seconds: float) -> None:
    """What measures.py reads, so far."""
    if options.json:
        Path(options.json).write_text(json.dumps({"seed": options.seed, "seconds": round(seconds), **run.tally.to_json()}, indent=1) + "\n")


def replayed(paths: Sequence[str]) -> List[Task]:
    """The cases of files: one object, or one per line."""
    tasks = []
    for path in paths:
        text = Path(path).read_text()
        try:
            documents = [json.loads(text)]
        except ValueError:
            documents = [json.loads(line) for line in text.splitlines() if line.strip()]
        for document in documents:
            case = RandomCase.from_json(document)
            tasks.append(Task(case.seed, len(tasks), case.to_json(), [document["opset"]] if document.get("opset") else []))
    return tasks


def main() -> int:
    """Runs the command line; 0 if nothing failed, 1 if something did, 2 if nothing could be run."""
    options = parser().parse_args()
    kinds = [options.kind] if options.kind else [OPERATOR] if options.lod or options.each else [OPERATOR, CALLS]
    started = time.monotonic()
    # The cases are small: threads would wait for one another longer than they work. Paddle is not imported yet.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="random-") as scratch:
        try:
            command = shlex.split(options.converter) if options.converter else [executable.use(options.fluid2onnx), "batch"]
            examples = _examples(options, command[0])
            import onnx  # noqa: F401 - before the workers are forked
            import onnxruntime  # noqa: F401

            start = _start3(options, command, examples, kinds, scratch) if options.paddle3 else _start(options, command, examples, kinds)
        except (MissingPackageError, OSError, ValueError) as error:
            print(f"run.py: error: {error}", file=sys.stderr)
            return 2
        run = Run(options, Pool(start, work, options.jobs, options.timeout, scratch), Known(Path(__file__).with_name("known.json"), bool(options.paddle3)))
        if options.replay:
            run.round([_with_opsets(task, options) for task in replayed(options.replay)])
        elif options.attributes:
            _run_attributes(run, Mutator(options.root, read_cases(examples), options.only), options, started)
        elif options.each:
            for op in Mutator(options.root, read_cases(examples), options.only, options.lod).operators:
                _run_operator(run, op, options, started)
        else:
            _run_rounds(run, options, started)
    seconds = time.monotonic() - started
    if options.out:
        save_failures(run.failures, options.out)
    save_counts(run, options, seconds)
    return _report(run, options, seconds)


def _start(options: argparse.Namespace, command: Sequence[str], examples: str, kinds: Sequence[str]) -> Callable[[], State]:
    """What a worker starts with; Paddle is imported before it is forked."""
    from fuzz import reference

    make = maker(options.root, read_cases(examples), options.only, kinds, options.lod)
    return lambda: State(Tools(Batch(command, options.timeout), reference.compute, values=options.values), make)


def _start3(options: argparse.Namespace, command: Sequence[str], examples: str, kinds: Sequence[str], scratch: str) -> Callable[[], State]:
    """The same with another interpreter's Paddle 3; each worker has its own server."""
    from fuzz.paddle3 import Paddle3

    path = Path(scratch) / "examples.json"
    path.write_text(examples)
    settings = {"examples": str(path), "root": str(options.root), "only": options.only, "kinds": list(kinds), "lod": options.lod}

    def start() -> State:
        paddle3 = Paddle3(options.paddle3, settings, options.timeout)
        return State(Tools(Batch(command, options.timeout), paddle3.compute, values=options.values), paddle3.make)

    return start


def _with_opsets(task: Task, options: argparse.Namespace) -> Task:
    task.opsets = options.opset or task.opsets
    return task


def _run_rounds(run: Run, options: argparse.Namespace, started: float) -> None:
    total = options.cases if options.cases is not None else None if options.minutes else CASES
    index = options.first
    while total is None or index < options.first + total:
        stop = index + ROUND if total is None else min(index + ROUND, options.first + total)
        run.round([_with_opsets(Task(options.seed, number), options) for number in range(index, stop)])
        index = stop
        if options.out:
            save_failures(run.failures, options.out)
        save_counts(run, options, time.monotonic() - started)
        if options.minutes:
            tally = run.tally
            print(f"{tally.cases} cases, {tally.accepted} accepted, {tally.failed_cases} failed, {tally.every.in_a_row} in a row not, {tally.ordinary.cases} of ordinary numbers, {tally.ordinary.failed} failed, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
            if time.monotonic() - started > 60 * options.minutes:
                return


def _run_attributes(run: Run, mutator: Mutator, options: argparse.Namespace, started: float) -> None:
    cases = [RandomCase(data, options.seed, index) for index, data in enumerate(mutator.attribute_changes(options.seed, options.attributes))]
    random.Random(options.seed).shuffle(cases)  # with --minutes, not only the first operators
    cases = cases[: options.cases]
    print(f"{len(cases)} cases", file=sys.stderr, flush=True)
    for at in range(0, len(cases), ROUND):
        run.round([_with_opsets(Task(case.seed, case.index, case.to_json()), options) for case in cases[at : at + ROUND]])
        if options.out:
            save_failures(run.failures, options.out)
        if options.minutes and time.monotonic() - started > 60 * options.minutes:
            return


def _run_operator(run: Run, op: str, options: argparse.Namespace, started: float) -> None:
    """Cases of one operator until enough were compared, or until Paddle has rejected too many."""
    index, end = options.first, options.first + PATIENCE * options.each
    while index < end and run.tally.compared[op] < options.each:
        stop = min(end, index + max(20, options.each - run.tally.compared[op]))
        run.round([_with_opsets(Task(options.seed, number, op=op), options) for number in range(index, stop)])
        index = stop
    if options.out:
        save_failures(run.failures, options.out)
    print(f"{op}: {run.tally.compared[op]} compared of {index - options.first}; {run.tally.failed_cases} failed so far, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)


def _report(run: Run, options: argparse.Namespace, seconds: float) -> int:
    tally = run.tally
    if not options.brief:
        print(tally.operators() + "\n")
        print(tally.messages() + "\n")
    print_failures(run.failures)
    print("\n" + tally.classes())
    for reason, number in tally.known.most_common():
        print(f"known, {number}: {reason}")
    print(f"\n{tally.cases} cases of seed {options.seed}, {tally.accepted} accepted by Paddle, {tally.every.longest} in a row without a failure, in {seconds:.0f} s" + (f"; {tally.crashes} crashes" if tally.crashes else ""))
    print(f"of them {tally.ordinary.cases} of ordinary numbers, {tally.ordinary.failed} failed, {tally.ordinary.longest} in a row without a failure")
    print(closing_line(tally.accepted - tally.failed_cases, tally.failed_cases, 0))
    if not tally.accepted:
        print("run.py: error: Paddle accepted no case at all", file=sys.stderr)
        return 2
    return 1 if tally.failed_cases else 0


def _examples(options: argparse.Namespace, converter: str) -> str:
    if options.examples:
        return Path(options.examples).read_text()
    beside = Path(converter).with_name("opgen")
    opgen = options.opgen or (str(beside) if beside.exists() else shutil.which("opgen"))
    if not opgen:
        raise MissingPackageError("opgen is neither beside the converter nor on PATH; name it with --opgen, or a file with --examples")
    return ask_opgen(opgen, options.root)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs folders of saved models with Paddle's recorded answers through the converter, and counts. Not a test.

    corpus.py --corpus DIR --opsets 7,13,17 --fluid2onnx build/release/bin/fluid2onnx --json results.json

A case is a folder with meta.json (`model`, `params`, `feeds`, `fetches`; optional `rtol`, `atol`, `random`, `compare`, `opsets`),
the model, inputs.npz and outputs.npz (out0, out1, ...), and maybe inputs_b.npz and outputs_b.npz. All below DIR are run, or those that --filter names.

Every model is judged as strictly as in run.py. A refusal that names the lowest opset is counted apart from a failure.
"""
import argparse
import collections
import fnmatch
import functools
import json
import os
import re
import shlex
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from harness import judge  # first: reports a missing numpy
from harness.batch import Batch
from harness.pool import Crash, Emit, Pool, Stage
from harness.programs import operators
from harness.report import table

import numpy as np

from fluid2onnx import executable
from fluid2onnx.compare import Tolerance
from fluid2onnx.errors import MissingPackageError

PASSED, REFUSED, FAILED = "passed", "refused", "failed"


@dataclass
class Job:
    """A case at one opset."""

    folder: Path
    meta: Dict[str, Any]
    opset: int
    ops: List[str] = field(default_factory=list)


@dataclass
class Outcome:
    """`status` is passed, refused or failed; `stage` of a failure is convert, check, load, run or mismatch."""

    status: str
    stage: str = ""
    reason: str = ""
    code: str = ""
    lowest_opset: Any = None


def convert_and_judge(defaults: Tolerance, state: "Tuple[Batch, str]", job: Job, emit: Emit) -> None:
    """The work of one worker on one job."""
    batch, folder = state
    meta, out = job.meta, os.path.join(folder, "model.onnx")
    emit(Stage("convert"))
    judge.remove(out)
    params = str(job.folder / meta["params"]) if meta.get("params") else None
    reply = batch.convert(str(job.folder / meta["model"]), params, out, job.opset)
    if not reply.ok:
        emit(Outcome(FAILED if reply.broken else REFUSED, "convert", reply.message, reply.code, reply.lowest_opset))
        return
    emit(Stage("load or run"))
    expected = [_expected(job, suffix, defaults) for suffix in ("", "_b") if (job.folder / f"outputs{suffix}.npz").exists()]
    verdict = judge.judge(out, job.opset, *expected)
    emit(Outcome(PASSED) if verdict.ok else Outcome(FAILED, verdict.status, verdict.reason))


def _expected(job: Job, suffix: str, defaults: Tolerance) -> judge.Expected:
    meta = job.meta
    with np.load(job.folder / f"inputs{suffix}.npz") as arrays:
        names = [feed["name"] for feed in meta["feeds"]] if "feeds" in meta else list(arrays.files)
        inputs = {name: arrays[name] for name in names}
    with np.load(job.folder / f"outputs{suffix}.npz") as arrays:
        outputs = [arrays[f"out{i}"] for i in range(len(arrays.files))]
    rtol, atol = (defaults.rtol if meta.get("rtol") is None else meta["rtol"]), (defaults.atol if meta.get("atol") is None else meta["atol"])
    return judge.Expected(
        inputs,
        outputs,
        [f"output {i}" for i in range(len(outputs))],
        Tolerance(rtol, atol, defaults.scaled),
        meta.get("lod"),
        random=bool(meta.get("random")),
        unordered_rows=meta.get("compare") == "sorted_rows",
    )


def grouped(reason: str) -> str:
    """A reason without what differs from case to case."""
    reason = re.sub(r"'[^']*[\d.][^']*'|\"[^\"]*\d[^\"]*\"", "'_'", reason)
    reason = re.sub(r"max (abs|rel) \S+|\d+ of \d+|\[[\d, ]*\]|0x[0-9a-f]+", "_", reason)
    return reason[:160]


def print_summary(results: "Sequence[Tuple[Job, Outcome]]", rows: int) -> None:
    """Counts per opset, then the operators and the reasons that fail most."""
    by_opset: Dict[int, List["Tuple[Job, Outcome]"]] = collections.defaultdict(list)
    for job, outcome in results:
        by_opset[job.opset].append((job, outcome))
    head: Sequence[object] = ("opset", "cases", "passed", "%", "refused, higher opset named", "refused", "failed")
    print(table([head, *(_counts(opset, group) for opset, group in sorted(by_opset.items()))], numbers=range(7)))
    for opset, group in sorted(by_opset.items()):
        reasons: Dict[Tuple[str, str], List[Job]] = collections.defaultdict(list)
        for job, outcome in group:
            if outcome.status != PASSED and outcome.lowest_opset is None:
                what = f"{outcome.stage} {outcome.code}".strip()
                reasons[what, grouped(outcome.reason)].append(job)
        if reasons:
            print(f"\nopset {opset}: what fails most")
        for (what, reason), jobs in sorted(reasons.items(), key=lambda item: -len(item[1]))[:rows]:
            print(f"  {len(jobs):4} {what}: {reason}  e.g. {jobs[0].meta['id']}")
    operators_failing: "collections.Counter[str]" = collections.Counter()
    operators_seen: "collections.Counter[str]" = collections.Counter()
    for job, outcome in results:
        operators_seen.update(job.ops)
        if outcome.status != PASSED and outcome.lowest_opset is None:
            operators_failing.update(job.ops)
    print("\noperators in the cases that fail or are refused at any opset (a case counts for each of its operators)")
    for name, count in operators_failing.most_common(rows):
        print(f"  {count:4} of {operators_seen[name]:4} {name}")


def _counts(opset: int, group: "Sequence[Tuple[Job, Outcome]]") -> Sequence[object]:
    passed = sum(outcome.status == PASSED for _, outcome in group)
    named = sum(outcome.status == REFUSED and outcome.lowest_opset is not None for _, outcome in group)
    refused = sum(outcome.status == REFUSED for _, outcome in group) - named
    failed = sum(outcome.status == FAILED for _, outcome in group)
    return opset, len(group), passed, f"{100 * passed / len(group):.1f}", named, refused, failed


def find_jobs(options: argparse.Namespace) -> List[Job]:
    """Every case below the folders, at every opset."""
    jobs = []
    for root in options.corpus:
        for path in sorted(root.rglob("meta.json")):
            meta = json.loads(path.read_text())
            meta.setdefault("id", str(path.parent.relative_to(root)))
            meta.setdefault("model", meta.get("model_file"))
            meta.setdefault("params", meta.get("params_file"))
            if options.filter and not any(text in meta["id"] or fnmatch.fnmatch(meta["id"], text) for text in options.filter):
                continue
            ops = operators(path.parent / meta["model"])
            if options.op and not set(options.op) & set(ops):
                continue
            asked = [max(meta.get("opsets") or [17])] if options.opsets == "default" else map(int, options.opsets.split(","))
            jobs += [Job(path.parent, meta, opset, ops) for opset in asked]
    return jobs


def main() -> int:
    """Runs the command line; the exit status is 0 if it ran, whatever it found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", metavar="DIR", type=Path, action="append", required=True, help="repeatable")
    parser.add_argument("--opsets", default="13", help="comma-separated, or 'default': the highest that a case asks for")
    parser.add_argument("--filter", action="append", default=[], help="part or pattern of the case's id (repeatable)")
    parser.add_argument("--op", action="append", default=[], help="only cases with this operator (repeatable)")
    parser.add_argument("--fluid2onnx", metavar="FILE", help="the converter (default: as the Python package finds it)")
    parser.add_argument("--converter", metavar="COMMAND", help="another command that speaks the batch protocol")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for one step of a case")
    parser.add_argument("--rtol", type=float, default=1e-4, help="where a case names none (default: %(default)g)")
    parser.add_argument("--atol", type=float, default=1e-5, help="where a case names none (default: %(default)g)")
    parser.add_argument("--scaled", action="store_true", help="--atol is in units of the output's largest magnitude (whole models)")
    parser.add_argument("--rows", type=int, default=25, help="rows of each table (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write every outcome")
    parser.add_argument("--list-failures", action="store_true", help="a line for each case that did not pass")
    options = parser.parse_args()
    try:
        command = shlex.split(options.converter) if options.converter else [options.fluid2onnx or executable.find(), "batch"]
    except MissingPackageError as error:
        print(f"corpus.py: error: {error}", file=sys.stderr)
        return 2
    jobs = find_jobs(options)
    if not jobs:
        print("corpus.py: error: there are no such cases", file=sys.stderr)
        return 2
    import onnx.reference  # noqa: F401  (before the workers are forked)
    import onnxruntime  # noqa: F401

    started = time.monotonic()
    results: List[Tuple[Job, Outcome]] = []
    with tempfile.TemporaryDirectory(prefix="corpus-") as scratch:
        pool = Pool(
            lambda: (Batch(command, options.timeout), tempfile.mkdtemp(dir=scratch)),
            functools.partial(convert_and_judge, Tolerance(options.rtol, options.atol, options.scaled)),
            options.jobs,
            options.timeout,
            scratch,
        )
        for job in jobs:
            pool.add(job)
        for job, event in pool.run():
            if isinstance(event, Crash):
                event = Outcome(FAILED, str(event.stage or "harness"), event.what)
            if isinstance(event, Outcome):
                results.append((job, event))
    results.sort(key=lambda item: (item[0].opset, item[0].meta["id"]))
    print_summary(results, options.rows)
    if options.list_failures:
        for job, outcome in results:
            if outcome.status != PASSED:
                print(f"{outcome.status} {job.meta['id']} at {job.opset}: {outcome.stage} {outcome.code} {outcome.reason}")
    print(f"\n{len(results)} conversions in {time.monotonic() - started:.0f} s")
    if options.json:
        rows = [{"case": job.meta["id"], "opset": job.opset, "operators": job.ops, **vars(outcome)} for job, outcome in results]
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

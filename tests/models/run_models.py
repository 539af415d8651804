#!/usr/bin/env python3
"""Converts whole models at several opsets, and compares ONNX Runtime with Paddle.

    run_models.py --quick --fluid2onnx build/release/bin/fluid2onnx
    run_models.py --only 'resnet*' --opset 13

Models that do not exist yet are made (see make_models.py). A rendering is judged as in the conformance tests, with a
tolerance in units of the output's largest magnitude, on sets of inputs of different batch sizes. A refusal passes if
the model does convert at the lowest opset that the refusal names. Exit status: 0 nothing failed, 1 something did, 2
nothing could be run.
"""
import argparse
import collections
import fnmatch
import json
import os
import shlex
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "conformance"))
from harness import judge  # noqa: E402
from harness.batch import Batch  # noqa: E402
from harness.pool import Crash, Emit, Pool, Stage  # noqa: E402
from harness.report import closing_line, table  # noqa: E402

import make_models  # noqa: E402
import numpy as np  # noqa: E402
from fluid2onnx import executable  # noqa: E402
from fluid2onnx.compare import Tolerance  # noqa: E402
from fluid2onnx.errors import MissingPackageError  # noqa: E402

OPSETS = (7, 9, 11, 13, 17, 26)
TOLERANCE = Tolerance(rtol=1e-3, atol=3e-4, scaled=True)  # rounding adds up over dozens of layers
PASSED, REFUSED, FAILED, SKIPPED = "passed", "refused", "failed", "skipped"
MEGABYTE = 1 << 20


@dataclass
class Cell:
    """A model at one opset; `short` is what the table shows."""

    opset: int
    status: str
    short: str
    reason: str = ""


@dataclass
class Task:
    name: str
    folder: Path
    opsets: Sequence[int]
    keep_below: int  # bytes; larger models are removed after use


def work(state: "tuple[Batch, str]", task: Task, emit: Emit) -> None:
    """Makes a model if need be, converts it at every opset, and judges what differs."""
    batch, scratch = state
    emit(Stage("making the model"))
    meta = make_models.make(task.name, task.folder)
    expected = [_expected(task.folder, meta, suffix) for suffix in meta.get("lod") or ("", "_b")]
    options = {"lod": "lengths"} if any(any(item.output_lod) for item in expected) else {}
    model, params = str(task.folder / meta["model"]), str(task.folder / meta["params"]) if meta["params"] else None
    judged: Dict[bytes, judge.Verdict] = {}
    for opset in task.opsets:
        out = os.path.join(scratch, "model.onnx")
        emit(Stage(opset))
        judge.remove(out)
        reply = batch.convert(model, params, out, opset, **options)
        refusal = f"{reply.code}: {reply.message}"
        if reply.ok:
            key = judge.fingerprint(out, opset)
            if key not in judged:
                judged[key] = judge.judge(out, opset, *expected)
            verdict = judged[key]
            emit(Cell(opset, PASSED, "ok") if verdict.ok else Cell(opset, FAILED, f"WRONG ({verdict.status})", verdict.reason))
        elif reply.broken:
            emit(Cell(opset, FAILED, "CRASH", reply.message))
        elif reply.lowest_opset is None or reply.lowest_opset <= opset:
            emit(Cell(opset, FAILED, "REFUSED", refusal))
        elif not batch.convert(model, params, out, reply.lowest_opset, **options).ok:
            emit(Cell(opset, FAILED, f"needs {reply.lowest_opset}?", f"does not convert at the opset that this names: {refusal}"))
        else:
            emit(Cell(opset, REFUSED, f"needs {reply.lowest_opset}", refusal))
    judge.remove(os.path.join(scratch, "model.onnx"))
    if sum(path.stat().st_size for path in task.folder.iterdir()) > task.keep_below:
        shutil.rmtree(task.folder)


def _expected(folder: Path, meta: Dict[str, object], suffix: str) -> judge.Expected:
    with np.load(folder / f"inputs{suffix}.npz") as arrays:
        inputs = {name: arrays[name] for name in arrays.files}
    with np.load(folder / f"outputs{suffix}.npz") as arrays:
        outputs = [arrays[f"out{i}"] for i in range(len(arrays.files))]
    lod, output_lod = ((meta.get(key) or {}).get(suffix) for key in ("lod", "output_lod"))  # type: ignore[attr-defined]
    return judge.Expected(inputs, outputs, list(meta["outputs"]), TOLERANCE, lod, output_lod or ())  # type: ignore[call-overload]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--quick", action="store_true", help=f"only {', '.join(make_models.QUICK)}")
    result.add_argument("--only", metavar="PATTERN", action="append", default=[], help="only these models (repeatable)")
    result.add_argument("--opset", metavar="N", type=int, action="append", default=[],
                        help=f"repeatable; default: {', '.join(map(str, OPSETS))}")
    result.add_argument("--fluid2onnx", metavar="FILE", help="the converter (default: as the Python package finds it)")
    result.add_argument("--converter", metavar="COMMAND", help="another command that speaks the batch protocol")
    result.add_argument("--models", metavar="DIR", type=Path, default=make_models.default_folder(), help="default: %(default)s")
    result.add_argument("--keep-below", metavar="MB", type=int, default=100, help="larger models are removed after use (default: %(default)s)")
    result.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    result.add_argument("--timeout", type=float, default=600.0, help="seconds for one step of a model (default: %(default)g)")
    result.add_argument("--json", metavar="FILE", help="write the results")
    return result


def main() -> int:
    """Runs the command line."""
    options = parser().parse_args()
    try:
        command = shlex.split(options.converter) if options.converter else [executable.use(options.fluid2onnx), "batch"]
        from fluid2onnx import paddle_model  # noqa: F401  (before the workers are forked)
    except MissingPackageError as error:
        print(f"run_models.py: error: {error}", file=sys.stderr)
        return 2
    import onnx.reference  # noqa: F401
    import onnxruntime  # noqa: F401

    names = make_models.QUICK if options.quick else make_models.names()
    names = [name for name in names if not options.only or any(fnmatch.fnmatch(name, text) for text in options.only)]
    if not names:
        print("run_models.py: error: there is no such model", file=sys.stderr)
        return 2
    opsets = options.opset or OPSETS
    started = time.monotonic()
    cells: Dict[str, List[Cell]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory(prefix="models-") as scratch:
        pool = Pool(
            lambda: (Batch(command, options.timeout), tempfile.mkdtemp(dir=scratch)), work, options.jobs, options.timeout, scratch,
            tasks_per_worker=1,
        )
        for name in names:
            pool.add(Task(name, options.models / name, opsets, options.keep_below * MEGABYTE))
        for task, event in pool.run():
            if isinstance(event, Cell):
                cells[task.name].append(event)
            elif isinstance(event, Crash):
                _note_crash(pool, task, event, cells[task.name])
    return report(cells, opsets, time.monotonic() - started, options)


def _note_crash(pool: Pool, task: Task, crash: Crash, cells: List[Cell]) -> None:
    """Fails the opset at which it happened, and goes on with the rest; without a model there is no rest."""
    remaining = [opset for opset in task.opsets if opset not in {cell.opset for cell in cells}]
    if crash.stage not in remaining:
        cells += [Cell(opset, FAILED, "NO MODEL", crash.what) for opset in remaining]
        return
    cells.append(Cell(crash.stage, FAILED, "CRASH", crash.what))
    if remaining[1:]:
        pool.add(Task(task.name, task.folder, [opset for opset in remaining if opset != crash.stage], task.keep_below))


def report(cells: Dict[str, List[Cell]], opsets: Sequence[int], seconds: float, options: argparse.Namespace) -> int:
    """The table of models and opsets, the failures, the counts."""
    rows: List[Sequence[object]] = [("model", *opsets)]
    for name, group in cells.items():
        found = {cell.opset: cell.short for cell in group}
        rows.append((name, *(found.get(opset, "-") for opset in opsets)))
    print(table(rows))
    for name, group in cells.items():
        for cell in group:
            if cell.status == FAILED:
                print(f"\nFAILED {name} at opset {cell.opset}: {cell.short}\n  {cell.reason}")
                print(f"  again: {shlex.quote(sys.argv[0])} --only {shlex.quote(name)} --opset {cell.opset}")
    counts = collections.Counter(cell.status for group in cells.values() for cell in group)
    if options.json:
        document = {name: [vars(cell) for cell in group] for name, group in cells.items()}
        Path(options.json).write_text(json.dumps({"seconds": round(seconds, 1), "models": document}, indent=1) + "\n")
    refused = f"; {counts[REFUSED]} of the passed are refusals that name the opset needed" if counts[REFUSED] else ""
    print(f"\n{len(cells)} models in {seconds:.0f} s{refused}")
    print(closing_line(counts[PASSED] + counts[REFUSED], counts[FAILED], counts[SKIPPED]))
    return 1 if counts[FAILED] else 0


if __name__ == "__main__":
    sys.exit(main())

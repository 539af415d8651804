#!/usr/bin/env python3
"""Runs the examples of all specs with --fp16, against Paddle's float32 results.

    half.py --fluid2onnx build/release/bin/fluid2onnx [--only OP[:EXAMPLE]] [--opset 17]

What float16 may cost differs from example to example, so it is measured: the float32 model runs again on inputs and weights rounded to float16, and
on some that differ from them by as much at random. A result may be four times as far from Paddle's as the farthest of these, and besides by some
roundings of its magnitude and of the largest one in the output. Integers and booleans may differ only where those do.
"""
import argparse
import collections
import os
import shlex
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np
from harness import ROOT
from harness.batch import Batch
from harness.cases import Case, ask_opgen, load_reference, read_cases, select
from harness.pool import Crash, Emit, Pool, Stage
from harness.report import closing_line
from harness.verify import FAILED, PASSED, REFUSED, SKIPPED, Check, Tools

from fluid2onnx import executable, onnx_model
from fluid2onnx.errors import ModelError

STEP = 2.0**-10  # between numbers of float16, as a share
TRIALS = 4

# Examples whose results say nothing at 16 bits, and why.
EXCEPTIONS: Dict[str, str] = {"round:3": "an input of 8388609 is beyond the range"}
EXCEPTIONS["matrix_rank_atol_rtol:0"] = "singular values of 1e-9 and a tolerance of 1e-12 are below the range"
_LOG_0 = "Paddle cuts the loss of log 0 at 1e20, which is beyond the range"
EXCEPTIONS.update({"cross_entropy:3": _LOG_0, "cross_entropy2:2": _LOG_0, "softmax_with_cross_entropy:7": _LOG_0, "softmax_with_cross_entropy:8": _LOG_0})


@dataclass
class Task:
    """An example, and the folder of its reference."""

    case: Case
    folder: Path
    opset: int


def disturbed(array: np.ndarray, rng: Optional[np.random.Generator]) -> np.ndarray:
    """As float16 has it; or a little away from it. What float16 does not hold stays."""
    array = np.asarray(array)
    if array.dtype != np.float32:
        return array
    with np.errstate(over="ignore"):
        rounded = array.astype("float16").astype("float32")
    rounded = np.where(np.isfinite(rounded) & (np.abs(array) > 1e-4), rounded, array)
    if rng is not None:
        rounded = rounded * (1 + STEP / 2 * rng.uniform(-1, 1, array.shape))
    return np.asarray(rounded, "float32")


def trial(path: str, feeds: Dict[str, np.ndarray], seed: int, scratch: str) -> Optional[List[np.ndarray]]:
    """The float32 model's outputs for disturbed inputs and weights; None if they are invalid."""
    import onnx
    from onnx import numpy_helper

    rng = np.random.default_rng(seed) if seed else None
    model = onnx.load(path)
    scales = {name for node in model.graph.node if node.op_type in ("Resize", "Upsample") for name in node.input[1:]}
    for tensor in model.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT and tensor.name not in scales:
            tensor.CopyFrom(numpy_helper.from_array(disturbed(numpy_helper.to_array(tensor), rng), tensor.name))
    other = os.path.join(scratch, "trial.onnx")
    onnx.save(model, other)
    try:
        return onnx_model.run(onnx_model.session(other), {name: disturbed(array, rng) for name, array in feeds.items()})
    except ModelError:
        return None


def problem(name: str, want: np.ndarray, got: np.ndarray, trials: List[np.ndarray]) -> str:
    """What is wrong with an output, or nothing."""
    if got.shape != want.shape:
        return "" if any(t.shape != want.shape for t in trials) else f"{name}: shape {got.shape} instead of {want.shape}"
    if any(t.shape != want.shape for t in trials):
        return ""
    if want.dtype.kind != "f":
        wrong = int((got != want).sum())
        return "" if not wrong or any((t != want).any() for t in trials) else f"{name}: {wrong} of {want.size} {want.dtype} differ"
    a, b = want.astype("float64"), got.astype("float64")
    others = [t.astype("float64") for t in trials]
    with np.errstate(invalid="ignore"):
        error = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.abs(a - b))
        spreads = [np.where((a == t) | (np.isnan(a) & np.isnan(t)), 0, np.abs(a - t)) for t in others]
    if any(not np.isfinite(s).all() for s in spreads):
        return ""
    magnitude = np.abs(np.where(np.isfinite(a), a, 0))
    largest = magnitude.max(initial=0)
    limit = 4 * max((s.max(initial=0) for s in spreads), default=0) + 4 * STEP * magnitude + 2 * STEP * largest + 2.0**-23
    wrong = ~(error <= limit)
    if not wrong.any():
        return ""
    i = np.unravel_index(np.argmax(np.where(np.isnan(error), np.inf, error)), error.shape) if error.ndim else ()
    return f"{name}: {int(wrong.sum())} of {wrong.size} too far off; {b[i]:.6g} instead of {a[i]:.6g}, allowed is {limit[i]:.2g}"


def computes_in_half(path: str) -> bool:
    """True if some node does."""
    import onnx

    model = onnx.load(path)
    if any(tensor.data_type == onnx.TensorProto.FLOAT16 for tensor in model.graph.initializer):
        return True
    casts = [node for node in model.graph.node if node.op_type == "Cast"]
    return any(attribute.i == onnx.TensorProto.FLOAT16 for node in casts for attribute in node.attribute)


def judge(tools: Tools, task: Task, emit: Emit) -> None:
    """Emits a `Check`."""
    emit(Stage([task.opset]))
    reference = load_reference(task.folder)
    if reference is None and task.case.of_paddle_3:
        emit(Check([], SKIPPED, "run.py makes this reference with Paddle 3"))
        return
    if reference is None and tools.can_make_references:
        from harness import oracle

        reference = oracle.make_reference(task.case, task.folder)
    if reference is None:
        emit(Check([], SKIPPED, "Paddle is not installed, and the reference is not in the cache"))
        return
    scratch = tools.folder.name
    plain, half = os.path.join(scratch, "float32.onnx"), os.path.join(scratch, "float16.onnx")
    reply = tools.batch.convert(reference.model, reference.params, plain, task.opset)
    if not reply.ok:
        emit(Check([task.opset], REFUSED, reply.code, ran=False))
        return
    reply = tools.batch.convert(reference.model, reference.params, half, task.opset, precision="float16")
    if not reply.ok:
        emit(Check([task.opset], FAILED, f"refused with --fp16: {reply.code}: {reply.message}"))
        return
    try:
        running = onnx_model.session(half)
        feeds = onnx_model.match_inputs([node.name for node in running.get_inputs()], reference.inputs, reference.lod)
        got = onnx_model.run(running, feeds)
    except Exception as error:  # noqa: BLE001: whatever it is, the float32 model runs
        emit(Check([task.opset], FAILED, f"load or run: {error}"))
        return
    trials = [found for found in (trial(plain, feeds, seed, scratch) for seed in range(TRIALS)) if found]
    names = reference.names
    found = [problem(*item) for item in zip(names, reference.outputs, got, [[t[i] for t in trials] for i in range(len(names))])]
    found = [text for text in found if text]
    emit(Check([task.opset], FAILED if found else PASSED, "; ".join(found), ran=computes_in_half(half)))


def main() -> int:
    """Runs the command line; 0 if nothing failed, 1 if something did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fluid2onnx", metavar="FILE")
    parser.add_argument("--opgen", metavar="FILE")
    parser.add_argument("--only", metavar="OP[:EXAMPLE]", action="append", default=[])
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--paddle3", metavar="VERSION", default="3.3.1", help="of the Paddle 3 whose references run.py has made (default: %(default)s)")
    parser.add_argument("--cache", metavar="DIR", type=Path)
    options = parser.parse_args()
    cache = options.cache or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fluid2onnx" / "references"
    converter = executable.use(options.fluid2onnx)
    cases = select(read_cases(ask_opgen(options.opgen or str(Path(converter).with_name("opgen")), ROOT)), options.only)
    cases = [case for case in cases if not case.refused and not case.data.get("random") and options.opset in case.opsets]
    import onnx  # noqa: F401: before the workers are forked
    import onnxruntime  # noqa: F401

    from run import paddle_version

    version = paddle_version() or "2.6.2"
    keys = [case.key(options.paddle3 if case.of_paddle_3 else version) for case in cases]
    tasks = [Task(case, cache / key[:2] / key, options.opset) for case, key in zip(cases, keys)]
    missing = any(load_reference(task.folder) is None for task in tasks if not task.case.of_paddle_3)
    if missing and paddle_version():
        from harness import oracle  # noqa: F401
    started = time.monotonic()
    checks: List[Any] = []
    with tempfile.TemporaryDirectory(prefix="half-") as scratch:
        can_make = bool(missing and paddle_version())
        pool = Pool(lambda: Tools(Batch([converter, "batch"], options.timeout), can_make), judge, options.jobs, options.timeout, scratch)
        for task in tasks:
            pool.add(task)
        for task, event in pool.run():
            if isinstance(event, Crash):
                event = Check([task.opset], FAILED, event.what)
            if isinstance(event, Check):
                checks.append((task.case, event))
    counts: collections.Counter = collections.Counter()
    for case, check in sorted(checks, key=lambda item: item[0].name):
        excused = check.status == FAILED and case.name in EXCEPTIONS
        counts["excused" if excused else check.status] += 1
        if check.status == FAILED and not excused:
            print(f"\nFAILED {case.name} ({case.place})\n  {check.reason}")
            print(f"  again: {shlex.join([sys.argv[0], '--fluid2onnx', converter, '--only', case.name])}")
        if check.status == PASSED and case.name in EXCEPTIONS:
            print(f"\n{case.name} is among the exceptions, but passes")
    lowered = sum(check.ran for _, check in checks)
    print(f"\n{len(checks)} examples with --fp16 at opset {options.opset} in {time.monotonic() - started:.0f} s: {lowered} compute in float16, "
          f"{counts[REFUSED]} need another opset, {counts['excused']} are exceptions")
    if not options.only and lowered < len(checks) // 4:
        print("\nFAILED too few compute in float16: is it asked for?")
        counts[FAILED] += 1
    print(closing_line(counts[PASSED] + counts[REFUSED] + counts["excused"], counts[FAILED], counts[SKIPPED]))
    return 1 if counts[FAILED] else 0


if __name__ == "__main__":
    sys.exit(main())

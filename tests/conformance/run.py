#!/usr/bin/env python3
"""Runs the examples of all specs against real Paddle and ONNX Runtime; README.md explains.

    run.py --fluid2onnx build/release/bin/fluid2onnx
    run.py --fluid2onnx build/release/bin/fluid2onnx --dtypes
    run.py --examples examples.json --only gelu --only clip:int64 --only Gemm --opset 13
"""
import argparse
import collections
import importlib.metadata
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from harness import ROOT
from harness.batch import Batch
from harness import dtypes, freshness, paddle_3
from harness.cases import Case, ask_opgen, load_reference, load_rejection, read_cases, select
from harness.judge import BY_REFERENCE
from harness.pool import Crash, Emit, Pool
from harness.program_runner import PaddleProcess
from harness.report import closing_line, ranges, table
from harness.verify import FAILED, PASSED, REFUSED, REJECTED, SKIPPED, Check, Task, Tools, no_reference, verify
from harness.onnx_example import verify_onnx

from fluid2onnx import executable
from fluid2onnx.errors import MissingPackageError


@dataclass
class Result:
    """The checks of one example."""

    case: Case
    checks: List[Check] = field(default_factory=list)

    @property
    def failures(self) -> List[Check]:
        return [check for check in self.checks if check.status == FAILED]

    @property
    def status(self) -> str:
        statuses = {check.status for check in self.checks}
        return next((status for status in (FAILED, SKIPPED, REJECTED) if status in statuses), PASSED)

    @property
    def renderings(self) -> List[Check]:
        """The judged ones."""
        return [check for check in self.checks if check.opsets and check.status != REFUSED]

    @property
    def dtype_verdict(self) -> str:
        """What becomes of a variant: verified, refused, rejected by Paddle, failed or skipped."""
        return REFUSED if self.status == PASSED and not self.renderings else self.status

    @property
    def lowest(self) -> Optional[int]:
        """The lowest opset at which the example passes."""
        return min((check.opsets[0] for check in self.checks if check.status == PASSED and check.opsets), default=None)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = result.add_mutually_exclusive_group()
    source.add_argument("--examples", metavar="FILE", help="what 'opgen examples' wrote; - is the standard input")
    source.add_argument("--opgen", metavar="FILE", help="opgen, to ask for the examples (default: beside the converter, or on PATH)")
    result.add_argument("--root", metavar="DIR", type=Path, default=ROOT, help="the repository, for opgen (default: this one)")
    result.add_argument("--fluid2onnx", metavar="FILE", help="the converter (default: as the Python package finds it)")
    result.add_argument("--converter", metavar="COMMAND", help="another command that speaks the batch protocol")
    result.add_argument("--paddle3", metavar="PYTHON", help="the Python with Paddle 3 (default: that of scripts/test)")
    result.add_argument("--only", metavar="OP[:EXAMPLE]", action="extend", nargs="+", default=[], help="run only these")
    result.add_argument("--opset", metavar="N", type=int, action="append", default=[], help="run only these (repeatable)")
    result.add_argument("--target", metavar="NAME", help="convert with --target NAME: judge the files that this changes")
    result.add_argument("--dtypes", action="store_true", help="run the examples in the other dtypes of Paddle's kernels instead")
    result.add_argument("--record", action="store_true", help=f"with --dtypes: write what becomes of each dtype to {dtypes.TABLE}")
    result.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    result.add_argument("--timeout", type=float, default=60.0, help="seconds for one step of a case (default: %(default)g)")
    result.add_argument("--cache", metavar="DIR", type=Path, help="where references are kept (default: ~/.cache/fluid2onnx/references)")
    result.add_argument("--no-cache", action="store_true", help="compute all references again, and store none")
    result.add_argument("--keep", metavar="DIR", help="leave the ONNX files there, in DIR/OP/EXAMPLE/opsetN.onnx")
    result.add_argument("--json", metavar="FILE", help="write the results; - is the standard output")
    result.add_argument("--brief", action="store_true", help="no table by operator")
    return result


def paddle_version() -> Optional[str]:
    """Of the installed Paddle, without importing it, which takes a second."""
    for name in ("paddlepaddle", "paddlepaddle-gpu"):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def find_paddle(missing: int) -> bool:
    """Imports what the workers need, before they are forked; returns whether references can be made."""
    import onnx  # noqa: F401
    import onnx.reference  # noqa: F401
    import onnxruntime  # noqa: F401

    if not missing:
        return True
    try:
        from harness import oracle  # noqa: F401
    except MissingPackageError as error:
        print(f"{missing} references are not in the cache and cannot be made: {error}", file=sys.stderr)
        return False
    return True


def run(cases: Sequence[Case], options: argparse.Namespace, command: Sequence[str]) -> List[Result]:
    """Verifies the cases, showing progress."""
    with tempfile.TemporaryDirectory(prefix="conformance-") as scratch:
        cache = Path(scratch) / "cache" if options.no_cache else options.cache
        version = paddle_version() or "2.6.2"  # without Paddle, the cache of the one whose answers count
        version_3 = paddle_3.version_of(options.paddle3)
        tasks = []
        for case in cases:
            opsets = [opset for opset in options.opset or (dtypes.OPSETS if options.dtypes else executable.opsets()) if opset in case.opsets]
            if not opsets:
                continue
            keep = None
            if options.keep:
                keep = os.path.join(options.keep, case.op, str(case.data["example"]).replace("/", "_"))
                os.makedirs(keep, exist_ok=True)
            if case.of_onnx:
                tasks.append(Task(case, Path(scratch), opsets, keep=keep))
                continue
            key = case.key(version_3 if case.of_paddle_3 else version)
            tasks.append(Task(case, cache / key[:2] / key, opsets, keep=keep))
        missing = [task for task in tasks if task.case.of_onnx or load_reference(task.folder) is None and load_rejection(task.folder) is None]
        of_3 = sum(task.case.of_paddle_3 for task in missing)
        can_make = find_paddle(len(missing) - of_3)
        if of_3 and not options.paddle3:
            print(f"{of_3} references need Paddle 3: name its Python with --paddle3", file=sys.stderr)

        def tools() -> Tools:
            newer = paddle_3.Paddle3(options.paddle3) if options.paddle3 else None
            programs = PaddleProcess(options.paddle3, options.timeout) if options.paddle3 else None
            request = {"target": options.target} if options.target else {}
            return Tools(Batch(command, options.timeout), can_make, newer, programs, request)

        pool = Pool(tools, verify_either_way, options.jobs, options.timeout, scratch)
        results = {task.case.name: Result(task.case) for task in tasks}
        for task in tasks:
            pool.add(task)
        done, shown = 0, time.monotonic()
        for task, event in pool.run():
            result = results[task.case.name]
            if isinstance(event, Check):
                result.checks.append(event)
            elif isinstance(event, Crash):
                _note_crash(pool, task, event, result)
            else:
                done += 1
            if sys.stderr.isatty() and time.monotonic() - shown > 0.2:
                shown = time.monotonic()
                print(f"\r{done}/{len(tasks)} ", end="", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print("\r", end="", file=sys.stderr)
    return list(results.values())


def verify_either_way(tools: Tools, task: Task, emit: Emit) -> None:
    """Examples of Paddle's operators become ONNX, those of ONNX's operators programs."""
    (verify_onnx if task.case.of_onnx else verify)(tools, task, emit)


def _note_crash(pool: Pool, task: Task, crash: Crash, result: Result) -> None:
    """A crash in the judging of one rendering leaves the others to be judged; any other ends the case."""
    if crash.stage is None:
        unmade = not task.case.of_onnx and load_reference(task.folder) is None
        result.checks.append(no_reference(task, crash.what) if unmade else Check([], FAILED, crash.what))
        return
    result.checks.append(Check(crash.stage, FAILED, f"load or run: {crash.what}"))
    known = frozenset(opset for check in result.checks for opset in check.opsets)
    pool.add(replace(task, skip=known))


def print_operators(results: Sequence[Result]) -> None:
    """A row per operator."""
    by_op: Dict[str, List[Result]] = collections.defaultdict(list)
    for result in results:
        by_op[result.case.op].append(result)
    rows: List[Sequence[object]] = [("operator", "examples", "passed", "failed", "renderings", "from opset", "refused below")]
    for op, group in sorted(by_op.items()):
        lowest = [result.lowest for result in group if result.lowest is not None]
        rows.append((
            op,
            len(group),
            sum(result.status == PASSED for result in group),
            sum(result.status == FAILED for result in group),
            sum(len(result.renderings) for result in group),
            min(lowest) if lowest else "-",
            max(lowest) if lowest and max(lowest) > executable.opsets()[0] else "",
        ))
    print(table(rows, numbers=range(1, 7)))


def one_for_each_reason(checks: Sequence[Check]) -> List[Check]:
    """Merges renderings that fail in the same way into one check."""
    by_reason: Dict[str, Check] = {}
    for check in checks:
        merged = by_reason.setdefault(check.reason.replace(BY_REFERENCE, ""), replace(check, opsets=[]))
        merged.opsets.extend(check.opsets)
    return list(by_reason.values())


def print_failures(results: Sequence[Result], again: str) -> None:
    """What fails, once for all opsets at which it does, and how to run it alone."""
    for result in results:
        for check in one_for_each_reason(result.failures):
            where = f" at opset {ranges(check.opsets)}" if check.opsets else ""
            print(f"\nFAILED {result.case.name}{where} ({result.case.place})\n  {check.reason}")
            if check.lines:
                print(f"  in {check.lines}")
            opset = f" --opset {check.opsets[0]}" if check.opsets else ""
            print(f"  again: {again} --only {shlex.quote(result.case.name)}{opset}")


def write_json(results: Sequence[Result], path: str, seconds: float) -> None:
    """Everything that the tables are made of."""
    document = {
        "seconds": round(seconds, 1),
        "summary": dict(collections.Counter(result.status for result in results)),
        "cases": [
            {
                "op": result.case.op,
                "example": result.case.data["example"],
                "spec": result.case.data.get("spec"),
                "line": result.case.data.get("line"),
                "status": result.status,
                "lowest_opset": result.lowest,
                "checks": [asdict(check) for check in result.checks],
            }
            for result in results
        ],
    }
    text = json.dumps(document, indent=1) + "\n"
    if path == "-":
        sys.stdout.write(text)
    else:
        Path(path).write_text(text)


def table_holds(found: dtypes.Table, options: argparse.Namespace) -> bool:
    """Compares the table of dtypes with what was found about all operators, or those of --only; or writes it."""
    path = options.root / dtypes.TABLE
    written = dtypes.read_table(path)
    found = {op: entry for op, entry in found.items() if not options.only or op in options.only}
    expected = {**written, **found} if options.only else found
    if options.record:
        dtypes.write_table(path, expected)
        return True
    changed = dtypes.differences(written, expected)
    if changed:
        print(f"{dtypes.TABLE} differs for {', '.join(changed)}; run again with --record, and refresh the mirror", file=sys.stderr)
    return not changed


def _source(options: argparse.Namespace, converter: str) -> str:
    """The JSON of the examples."""
    if not options.examples:
        if not options.opgen:
            beside = Path(converter).with_name("opgen")
            options.opgen = str(beside) if beside.exists() else shutil.which("opgen")
        if not options.opgen:
            raise MissingPackageError("opgen is neither beside the converter nor on PATH; name it with --opgen, or a file with --examples")
        old = None if options.converter else freshness.stale(Path(converter), Path(options.opgen), options.root)
        if old:
            raise ValueError(f"{old}; build it: cmake --build --preset release --target fluid2onnx_cli")
        return ask_opgen(options.opgen, options.root)
    return sys.stdin.read() if options.examples == "-" else Path(options.examples).read_text()


def _again(options: argparse.Namespace) -> str:
    """The command line of this run, without what chooses cases."""
    words = [sys.argv[0]]
    words += ["--opgen", options.opgen] if options.opgen else ["--examples", options.examples]
    if options.converter:
        words += ["--converter", options.converter]
    elif options.fluid2onnx:
        words += ["--fluid2onnx", options.fluid2onnx]
    return " ".join(map(shlex.quote, words))


def main() -> int:
    """Runs the command line; 0 if nothing failed, 1 if something did, 2 if nothing could be run."""
    options = parser().parse_args()
    whole = options.dtypes and not options.opset and not any(":" in name for name in options.only)
    if options.record and not whole:
        parser().error("--record goes with --dtypes, of all opsets and of whole operators")
    options.paddle3 = paddle_3.find(options.paddle3)
    options.cache = options.cache or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fluid2onnx" / "references"
    try:
        if options.fluid2onnx:
            executable.use(options.fluid2onnx)
        command = shlex.split(options.converter) if options.converter else [executable.find(), "batch"]
        text = _source(options, command[0])
        examples = read_cases(text)
        known = dtypes.kernels(options.root) if options.dtypes else {}
        every = dtypes.variants(examples, known) if options.dtypes else [*examples, *read_cases(text, onnx=True)]
        cases = select(every, options.only)
    except (MissingPackageError, OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"run.py: error: {error}", file=sys.stderr)
        return 2
    if not cases:
        print("run.py: error: there is no such example", file=sys.stderr)
        return 2
    started = time.monotonic()
    results = run(cases, options, command)
    seconds = time.monotonic() - started
    counts = collections.Counter(result.status for result in results)
    if options.json:
        write_json(results, options.json, seconds)
    if options.json != "-":
        if not options.brief:
            print_operators(results)
        print_failures(results, _again(options))
        gaps = collections.Counter(check.gap for result in results for check in result.checks if not check.ran)
        renderings = sum(len(result.renderings) for result in results)
        print(f"\n{renderings} renderings of {len(results)} {'variants' if options.dtypes else 'examples'} in {seconds:.0f} s"
              + (f"; {sum(gaps.values())} only checked, because onnx.reference cannot run" if gaps else ""))
        for gap, count in gaps.most_common():
            print(f"  {count} times {gap}")
        if options.dtypes:
            refused = sum(result.dtype_verdict == REFUSED for result in results)
            print(f"{refused} are refused with a reason; {counts[REJECTED]} are rejected by Paddle and not counted")
        print(closing_line(counts[PASSED], counts[FAILED], counts[SKIPPED]))
    if counts[FAILED]:
        return 1
    if whole and not counts[SKIPPED]:
        found = dtypes.table(examples, [(result.case, result.dtype_verdict) for result in results], known)
        return 0 if table_holds(found, options) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

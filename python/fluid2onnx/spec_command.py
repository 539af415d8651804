"""python -m fluid2onnx.spec_command: run the examples of specs that are given at run time (`fluid2onnx spec test`).

Exit status: 0 all agree, 1 some differ, 2 wrong usage, mistakes in the specs, or a package is missing.
"""
import argparse
import importlib
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, List, Optional, Sequence

from . import executable
from .errors import Fluid2OnnxError, MissingPackageError

AGREE, DIFFER, USAGE = 0, 1, 2


def parser() -> argparse.ArgumentParser:
    """The command line; the executable's `spec test` passes its arguments on as they are."""
    result = argparse.ArgumentParser(
        prog="fluid2onnx spec test",
        description="Run the examples of spec files in Paddle and in ONNX Runtime, one of them converted, and compare the outputs.",
        epilog="exit status: 0 all agree, 1 some differ, 2 wrong usage, mistakes in the specs, or a package is missing",
    )
    result.add_argument("files", metavar="FILE", nargs="+", help="a spec file, or a folder of spec files")
    result.add_argument("--only", metavar="OP[:EXAMPLE]", action="append", default=[], help="run only these examples (repeatable)")
    result.add_argument("--opset", metavar="N", type=int, action="append", default=[], help="convert only at this opset (repeatable)")
    result.add_argument("--references", metavar="FOLDER", type=Path,
                        help="folder of Paddle's recorded outputs: written if Paddle is installed, else read")
    return result


def _harness(part: str) -> Any:
    """A module of the conformance tests: in the wheel a part of the package, in a checkout among the tests."""
    needed = [name for name in ("numpy", "onnx", "onnxruntime") if importlib.util.find_spec(name) is None]
    if needed:
        raise MissingPackageError(
            f"{sys.executable} has no package {' and '.join(needed)}, which runs the examples\n"
            f"  hint: {sys.executable} -m pip install {' '.join(needed)}"
        )
    if importlib.util.find_spec("fluid2onnx.harness") is not None:
        return importlib.import_module(f"fluid2onnx.harness.{part}")
    tests = str(Path(__file__).resolve().parents[2] / "tests" / "conformance")
    if tests not in sys.path:
        sys.path.insert(0, tests)
    return importlib.import_module(f"harness.{part}")


def _examples(files: Sequence[str]) -> str:
    done = subprocess.run([executable.find(), "spec", "examples", *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Fluid2OnnxError(done.stderr.rstrip())
    return done.stdout


class _Specs:
    """A converter that takes the specs with each model."""

    def __init__(self, batch: Any, files: Sequence[str]) -> None:
        self._batch = batch
        self._files = list(files)

    def convert(self, *arguments: Any, **options: Any) -> Any:
        """As harness.batch.Batch."""
        return self._batch.convert(*arguments, **{**options, "specs": self._files})


def _has_paddle() -> bool:
    return importlib.util.find_spec("paddle") is not None


def run(options: argparse.Namespace) -> int:
    """Runs the examples, printing a line for each."""
    text = _examples(options.files)
    cases_module, verify, batch = _harness("cases"), _harness("verify"), _harness("batch")
    every: List[Any] = cases_module.read_cases(text) + cases_module.read_cases(text, onnx=True)
    cases: List[Any] = cases_module.select(every, options.only)
    if not cases:
        names = list(dict.fromkeys(case.name.partition("@")[0] for case in every))
        shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        raise Fluid2OnnxError("unknown example" + (f"; the specs have {shown}" if names else ""))
    failed = skipped = passed = 0
    with tempfile.TemporaryDirectory(prefix="fluid2onnx-spec-") as scratch:
        references = options.references or Path(scratch)
        converter = batch.Batch([executable.find(), "batch"])
        tools = verify.Tools(_Specs(converter, options.files), _has_paddle())
        for case in cases:
            checks: List[Any] = []
            opsets = [opset for opset in options.opset or executable.opsets() if opset in case.opsets]
            folder = references / case.op / str(case.data["example"]).replace("/", "_")
            run_case = _harness("onnx_example").verify_onnx if case.of_onnx else verify.verify
            run_case(tools, verify.Task(case, folder, opsets), lambda event: checks.append(event))
            verdicts = [check for check in checks if isinstance(check, verify.Check)]
            failures = [check for check in verdicts if check.status == verify.FAILED]
            if failures:
                failed += 1
                for check in failures:
                    where = f" at opset {', '.join(map(str, check.opsets))}" if check.opsets else ""
                    print(f"failed   {case.name}{where} ({case.place})\n         {check.reason}")
            elif any(check.status == verify.SKIPPED for check in verdicts):
                skipped += 1
                why = "" if case.of_onnx else f", and {folder} has no recorded outputs for it"
                print(f"skipped  {case.name}: Paddle is not installed{why}")
            else:
                passed += 1
                print(f"passed   {case.name}")
        converter.close()
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return DIFFER if failed or not passed else AGREE


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command line; returns the exit status."""
    options = parser().parse_args(arguments)
    try:
        return run(options)
    except (Fluid2OnnxError, OSError, json.JSONDecodeError) as error:
        text = str(error)
        print(text if text.startswith("fluid2onnx ") else f"fluid2onnx spec test: error: {text}", file=sys.stderr)
        return USAGE


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Converts the examples of all specs twice, with the compiled specs and with the same specs given at run time
(--spec): the files must be the same, byte by byte, and so must the refusals.

    both_ways.py --fluid2onnx build/release/bin/fluid2onnx
    both_ways.py --fluid2onnx build/release/bin/fluid2onnx --only conv2d --opset 13

The programs are those that the conformance runner (tests/conformance/run.py) keeps beside its references; examples that
it has not run yet are counted, and with --complete they are an error.
"""
import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))

import onnx  # noqa: E402
from harness import onnx_example, paddle_3  # noqa: E402
from harness.batch import Batch  # noqa: E402
from harness.cases import Case, Reference, ask_opgen, load_reference, read_cases, select  # noqa: E402
from run import paddle_version  # noqa: E402

from fluid2onnx import executable  # noqa: E402

OPSETS = (7, 9, 10, 11, 12, 13, 15, 17, 18, 20, 23)


class Pair:
    """A converter each way, and where they write."""

    def __init__(self, command: List[str]) -> None:
        # All but what --spec does not take: replacements of nodes, and operators of ONNX that C++ converts.
        others = ("facts", "targets", "lib", "onnx")
        refused = ("replacements.yaml", "control.yaml", "sequence.yaml")
        specs = [str(path) for path in sorted((ROOT / "opspecs").iterdir()) if path.is_dir() and path.name not in others]
        for folder in ("lib", "onnx"):
            specs += [str(path) for path in sorted((ROOT / "opspecs" / folder).iterdir()) if path.name not in refused]
        self._batches = Batch(command), Batch(command)
        self._options: Tuple[Dict[str, Any], ...] = {}, {"specs": specs}
        self._folder = tempfile.TemporaryDirectory(prefix="both-ways-")
        self.seconds = [0.0, 0.0]

    def compare(self, reference: Reference, opset: int, lod: bool) -> str:
        """What differs; empty if nothing does."""
        return self._compare(reference.model, reference.params, ["model.onnx"], opset, {"lod": "lengths"} if lod else {})

    def compare_onnx(self, case: Case, node: Dict[str, Any], opset: int) -> str:
        """The same for the model of one version of an operator of ONNX, in both of Paddle's formats."""
        path = os.path.join(self._folder.name, "example.onnx")
        onnx.save(onnx_example.build(case, node, opset, onnx_example.draw_all(case)), path)
        return (self._compare(path, None, ["model.pdmodel", "model.pdiparams"], None, {})
                or self._compare(path, None, ["model.json", "model.pdiparams"], None, {}))

    def _compare(self, model: Any, params: Any, outputs: List[str], opset: Optional[int], more: Dict[str, Any]) -> str:
        answers = []
        for way, (batch, options) in enumerate(zip(self._batches, self._options)):
            paths = [Path(self._folder.name, name) for name in outputs]
            for path in paths:
                path.unlink(missing_ok=True)
            started = time.monotonic()
            reply = batch.convert(model, params, str(paths[0]), opset, **options, **more)
            self.seconds[way] += time.monotonic() - started
            content = b"".join(path.read_bytes() for path in paths if path.exists())
            answers.append((reply.ok, reply.code, reply.message, content))
        (ok, code, message, model), (own_ok, own_code, own_message, own_model) = answers
        if ok != own_ok:
            return f"compiled: {message or 'converted'}\n  interpreted: {own_message or 'converted'}"
        if (code, message) != (own_code, own_message):
            return f"compiled: {code} {message}\n  interpreted: {own_code} {own_message}"
        return "" if model == own_model else f"other operators ({len(model)} and {len(own_model)} bytes)"


def main() -> int:
    """Runs the command line; 0 if nothing differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fluid2onnx", metavar="FILE", required=True)
    parser.add_argument("--only", metavar="OP[:EXAMPLE]", action="append", default=[])
    parser.add_argument("--opset", metavar="N", type=int, action="append", default=[])
    parser.add_argument("--complete", action="store_true", help="fail if an example has no program")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--cache", type=Path, default=Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fluid2onnx" / "references")
    options = parser.parse_args()
    executable.use(options.fluid2onnx)
    text = ask_opgen(str(Path(options.fluid2onnx).with_name("opgen")), ROOT)
    cases = select(read_cases(text) + read_cases(text, onnx=True), options.only)
    versions = paddle_version() or "2.6.2", paddle_3.version_of(paddle_3.find(None)) or "3.3.1"
    opsets = options.opset or OPSETS

    def run(part: List[Case]) -> Tuple[int, int, int, List[str], List[float]]:
        pair = Pair([options.fluid2onnx, "batch"])
        compared = examples = missing = 0
        differences = []
        for case in part:
            if case.of_onnx:
                nodes = onnx_example.versions(case)
                examples += 1
                compared += len(nodes)
                what = next(filter(None, (pair.compare_onnx(case, *version) for version in nodes)), "")
                if what:
                    differences.append(f"{case.name} ({case.place})\n  {what}")
                continue
            key = case.key(versions[case.of_paddle_3])
            reference = load_reference(options.cache / key[:2] / key)
            if reference is None:
                missing += 1
                continue
            examples += 1
            for opset in opsets:
                if opset not in case.opsets:
                    continue
                compared += 1
                what = pair.compare(reference, opset, any(reference.output_lod))
                if what:
                    differences.append(f"{case.name} at opset {opset} ({case.place})\n  {what}")
                    break
        return compared, examples, missing, differences, pair.seconds

    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(run, [cases[i :: options.jobs] for i in range(options.jobs)]))
    compared, examples, missing = (sum(result[i] for result in results) for i in range(3))
    differences = [text for result in results for text in result[3]]
    print("\n".join(differences))
    compiled, interpreted = (sum(result[4][i] for result in results) for i in range(2))
    print(f"{compared} conversions of {examples} examples both ways: {len(differences)} examples differ; "
          f"{compiled:.1f} s compiled, {interpreted:.1f} s interpreted")
    if missing:
        print(f"{missing} examples have no program yet: run tests/conformance/run.py first")
    print(f"{examples - len(differences)} passed, {len(differences)} failed" + (f", {missing} skipped" if missing else ""))
    return 1 if differences or not compared or (missing and options.complete) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Converts models, runs each file in each engine, and writes the outcomes as JSON.

    run.py --fluid2onnx build/release/bin/fluid2onnx --json results.json
    run.py --quick --engines openvino tract --shapes fixed
    run.py --zoo FOLDER --only 'ocr_*' --verbose

Each pair runs in a separate process with a time limit. Outcomes that the JSON file already has are kept, unless --again.
Exit status: 0, or 1 if a pair failed that passes in the file of --baseline or is not there. With --baseline, the last
line counts only these as failed, and the other failures as skipped.
"""
import argparse
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Tuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "models"))
import numpy as np  # noqa: E402

import models  # noqa: E402
from engines import ENGINES, version  # noqa: E402
from judge import TOLERANCE, TOLERANCE_FP16  # noqa: E402

QUICK = ["mobilenet_v2", "squeezenet1_0", "lstm_language_model", "transformer_encoder", "while", "if", "data/*"]
# Targets of fluid2onnx lint, by engine.
TARGETS = {name: name for name in ("onnxruntime", "openvino", "opencv", "mnn", "ncnn", "tract")}
TARGETS["onnxruntime-web"] = "web"
QUICK_ENGINES = ["onnxruntime", "openvino", "onnxsim", "onnxslim", "tract"]


def made_models() -> Path:
    """Where tests/models/make_models.py keeps models."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fluid2onnx" / "models"


def all_models(zoos: List[Path]) -> Iterator[models.Model]:
    """Every model once; earlier folders take precedence."""
    yield from models.samples()
    for folder in [made_models(), *zoos]:
        yield from models.saved(folder)


def convert(options: argparse.Namespace, model: models.Model, shapes: str, out: Path) -> Dict[str, Any]:
    """Writes the ONNX file. An empty result means success."""
    if options.onnx:
        given = options.onnx / f"{model.name}.onnx"
        if not given.exists():
            return {"stage": "convert", "why": "no file"}
        shutil.copy(given, out)
        return {}
    command = [options.fluid2onnx, "convert", model.program, "-o", out, "--quiet"]
    command += ["--target", options.target] if options.target else []
    command += ["--opset", str(options.opset)] if options.opset else []
    command += ["--fp16"] if options.fp16 else []
    command += ["--params", model.params] if model.params else []
    if shapes == "fixed":
        command += [word for shape in model.shapes() for word in ("--input-shape", shape)]
    out.unlink(missing_ok=True)  # with --keep, one of an earlier run
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False)
    # If the target refuses nodes, the exit status is 1, but the file is written.
    return {} if done.returncode == 0 or options.target and out.exists() else {"stage": "convert", "why": " ".join(done.stderr.split())[:400]}


def attempt(engine: str, model: models.Model, shapes: str, out: Path, options: argparse.Namespace) -> Dict[str, Any]:
    """Runs one pair in a separate process and a temporary folder."""
    with tempfile.TemporaryDirectory() as scratch:
        cases = []
        for index, case in enumerate(model.cases if shapes == "dynamic" else model.cases[:1]):
            cases.append(os.path.join(scratch, f"case{index}.npz"))
            np.savez(cases[-1], **case)
        seconds, tolerance = options.seconds, TOLERANCE_FP16 if options.fp16 else TOLERANCE
        command = [sys.executable, str(HERE / "one_pair.py"), engine, str(tolerance), str(seconds), str(out.resolve()), *cases]
        try:
            done = subprocess.run(
                command, cwd=scratch, capture_output=True, text=True, errors="replace", check=False, timeout=4 * seconds
            )
        except subprocess.TimeoutExpired:
            return {"stage": "time", "why": f"more than {4 * seconds} seconds"}
    lines = done.stdout.strip().splitlines()
    if done.returncode == 0 and lines and lines[-1].startswith("{"):
        return json.loads(lines[-1])
    return {"stage": "crash", "why": f"exit status {done.returncode}: " + " ".join(done.stderr.split())[-200:]}


def attempts(engines: List[str], refused: Dict[str, Any], run: Callable[[str], Dict[str, Any]]) -> Dict[str, Any]:
    """The outcome of each engine; as many run at a time as there are processors."""
    if refused:
        return {name: refused for name in engines}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(engines, pool.map(run, engines)))


def predicted(options: argparse.Namespace, out: Path, engine: str) -> List[str]:
    """The refusals that `fluid2onnx lint` reports, each once, such as "Loop: the operator is not supported"."""
    command = [str(options.fluid2onnx), "lint", str(out), "--target", TARGETS[engine], "--json"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    problems = json.loads(done.stdout)["targets"][0]["problems"]
    return sorted({f"{problem['op'] or problem['kind']}: {problem['message']}" for problem in problems})


def short(outcome: Dict[str, Any]) -> str:
    """One word for the terminal."""
    return "ok" if "error" in outcome else outcome["stage"]


def regressions(pairs: List[Tuple[str, str, str]], now: Dict[str, Any], before: Dict[str, Any]) -> Iterator[str]:
    """Of the pairs of this run, those that failed, and that passed before or are not in the baseline."""
    for model, shapes, engine in pairs:
        outcome = now[model][shapes][engine]
        old = before.get(model, {}).get(shapes, {}).get(engine)
        if "error" not in outcome and (old is None or "error" in old):
            yield f"{model} {shapes} {engine}: {outcome['why']}"


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fluid2onnx", type=Path, default=models.ROOT / "build/release/bin/fluid2onnx", help="default: %(default)s")
    parser.add_argument("--onnx", metavar="DIR", type=Path, help="take DIR/MODEL.onnx, which any converter wrote, instead of converting")
    parser.add_argument("--converter", metavar="VERSION", help="with --onnx: the version of Paddle2ONNX, for the report")
    parser.add_argument("--json", metavar="FILE", type=Path, help="outcomes, read and written")
    parser.add_argument("--baseline", metavar="FILE", type=Path, help="outcomes to compare with")
    parser.add_argument("--again", action="store_true", help="run pairs that the JSON file has")
    parser.add_argument("--zoo", metavar="DIR", type=Path, nargs="*", default=[], help="more folders of models")
    parser.add_argument("--only", metavar="PATTERN", nargs="*", help="names of models")
    parser.add_argument("--engines", nargs="*", choices=list(ENGINES), help="default: all that are installed")
    parser.add_argument("--shapes", nargs="*", choices=["fixed", "dynamic"], default=["fixed", "dynamic"])
    parser.add_argument("--quick", action="store_true", help=f"models {', '.join(QUICK)}; engines {', '.join(QUICK_ENGINES)}")
    parser.add_argument("--lint", action="store_true", help="only record what fluid2onnx lint predicts")
    parser.add_argument("--target", metavar="NAME", help="convert with --target NAME")
    parser.add_argument("--fp16", action="store_true", help=f"convert with --fp16; errors up to {TOLERANCE_FP16} pass")
    parser.add_argument("--opset", type=int, help="default: 13; with --target, its best opset")
    parser.add_argument("--seconds", type=int, default=120, help="CPU time of a pair; default: %(default)s")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="keep the ONNX files here")
    parser.add_argument("--verbose", action="store_true", help="print the reason of each failure")
    options = parser.parse_args()
    if not options.opset and not options.target:
        options.opset = 13
    patterns = options.only or (QUICK if options.quick else ["*"])
    engines = options.engines or (QUICK_ENGINES if options.quick else [name for name in ENGINES if version(name)])
    recorded: Dict[str, Any] = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    if not options.lint:
        recorded.setdefault("versions", {}).update({name: version(name) for name in engines})
    if recorded.get("models") and recorded.get("fp16", False) != options.fp16:
        parser.error(f"{options.json} has outcomes of the other precision; use another file")
    recorded["opset"], recorded["fp16"] = options.opset, options.fp16
    if options.converter:
        recorded["converter"] = options.converter
    outcomes = recorded.setdefault("models", {})
    passed = failed = 0
    ran: List[Tuple[str, str, str]] = []
    with tempfile.TemporaryDirectory() as scratch:
        for model in all_models(options.zoo):
            if not any(fnmatch.fnmatch(model.name, pattern) for pattern in patterns):
                continue
            for shapes in options.shapes:
                if shapes == "dynamic" and len(model.cases) < 2:
                    continue
                row = outcomes.setdefault(model.name, {}).setdefault(shapes, {})
                predictions = recorded.setdefault("lint", {}).setdefault(model.name, {}).setdefault(shapes, {})
                wanted = [name for name in engines if (options.again or name not in row) and (shapes == "fixed" or ENGINES[name].dynamic)]
                if not wanted and not options.lint:
                    continue
                out = (options.keep or Path(scratch)) / f"{model.name.replace('/', '_')}_{shapes}.onnx"
                out.parent.mkdir(parents=True, exist_ok=True)
                refused = convert(options, model, shapes, out)
                for name in engines if not refused else []:
                    if name in TARGETS and (shapes == "fixed" or ENGINES[name].dynamic):
                        predictions[name] = predicted(options, out, name)
                done = wanted if not options.lint else []
                row.update(attempts(done, refused, lambda name: attempt(name, model, shapes, out, options)))
                ran += [(model.name, shapes, name) for name in done]
                passed += sum("error" in row[name] for name in done)
                failed += sum("error" not in row[name] for name in done)
                print(f"{model.name} {shapes}: " + ", ".join(f"{name} {short(row[name])}" for name in done), flush=True)
                for name in done if options.verbose else []:
                    if "error" not in row[name]:
                        print(f"    {name}: {row[name]['why']}", flush=True)
                if options.json:
                    options.json.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")
                if not options.keep:
                    out.unlink(missing_ok=True)
    worse = list(regressions(ran, outcomes, json.loads(options.baseline.read_text())["models"])) if options.baseline else []
    for line in worse:
        print(f"passed before, or new: {line}")
    if options.baseline:
        print(f"{passed} passed, {len(worse)} failed, {failed - len(worse)} skipped")
    else:
        print(f"{passed} passed, {failed} failed")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())

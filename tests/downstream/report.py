#!/usr/bin/env python3
"""Writes the page "Where models run" from the suite's outcomes.

    report.py results.json zoo.json paddle2onnx.json docs/runs-where.md

The outcomes of this repository's models, of a zoo, and of the files that Paddle2ONNX wrote of the zoo's models.
"""
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, DefaultDict, Dict, Iterator, List, Tuple

from engines import ENGINES
from models import family

HEAD = """# Where models run

`tests/downstream/run` converts each model at opset {opset}, runs it in each engine on one thread, and
compares the outputs with Paddle's. A model passes in an engine if the largest error is at most
0.002 times the output's largest magnitude.

- **Fixed sizes**: all dimensions of the file are fixed (`--input-shape`).
- **Dynamic sizes**: the file has dynamic dimensions. The model is loaded once and runs two batches
  or sizes. tract and ncnn are not listed, because they fix the sizes when they load a model.
- Each cell has the number of models that pass, and the number of models. Models that fail in ONNX
  Runtime are not counted: with random weights, the boxes of a detector and the roundings of a
  quantised model depend on the last bit.

{own} models are in this repository. {zoo} others are networks of PaddleClas, PaddleDetection,
PaddleSeg, PaddleOCR, PaddleNLP, PaddleGAN and older examples, with random weights.

`tests/downstream/README.md` describes the suite.
"""

# Short reasons, by a part of the message. The first part that occurs counts.
REASONS = {
    "Unimplemented(Loop)": "no Loop",
    'of type \\"RNN\\"': "no RNN",
    'of type "RNN"': "no RNN",
    "SequenceEmpty": "no tensor arrays",
    "SequenceConstruct": "no tensor arrays",
    "shareBuffer": "fails on Loop",
    "toLayout": "fails on a product with a tensor of one channel",
    "convInferShape": "fails on a product with a tensor of one channel",
    "DATA_LAYOUT_BLOCK": "fails on its own block layout",
    "pass_level1": "pnnx crashes",
    "ncnn does not load": "ncnn does not load what pnnx wrote",
}


def reason(outcome: Dict[str, Any]) -> str:
    """Why a pair failed, in a few words."""
    why = str(outcome["why"])
    for part, text in REASONS.items():
        if part in why:
            return text
    if outcome["stage"] == "crash":
        return "the process crashes"
    if outcome["stage"] == "time":
        return f"runs for {why}"
    why = re.sub(r"^\w+: ", "", why).replace("|", " ").replace("`", "'")
    return why if len(why) <= 110 else why[:107].rsplit(" ", 1)[0] + " ..."


def passes(row: Dict[str, Any], name: str) -> bool:
    """True if the engine ran the model and agreed with Paddle."""
    return "error" in row.get(name, {})


def counted(results: Dict[str, Any], shapes: str) -> Iterator[Tuple[str, Dict[str, Any]]]:
    """The models that ONNX Runtime runs right, with their outcomes."""
    for model, by_shapes in sorted(results["models"].items()):
        row = by_shapes.get(shapes, {})
        if passes(row, "onnxruntime"):
            yield model, row


def table(results: Dict[str, Any], shapes: str) -> List[str]:
    """Families by engines."""
    engines = [name for name in ENGINES if any(name in row for _, row in counted(results, shapes))]
    passed: Counter = Counter()
    total: Counter = Counter()
    for model, row in counted(results, shapes):
        for name in engines:
            if name in row:
                for group in (family(model), "all"):
                    total[group, name] += 1
                    passed[group, name] += passes(row, name)
    lines = ["| models | " + " | ".join(ENGINES[name].title for name in engines) + " |", "|---|" + "---:|" * len(engines)]
    groups = sorted({family(model) for model, _ in counted(results, shapes)})
    for group in [*groups, "all"]:
        cells = [f"{passed[group, name]}/{total[group, name]}" if total[group, name] else "" for name in engines]
        lines.append(f"| {group} | " + " | ".join(cells) + " |")
    return lines


def failures(results: Dict[str, Any]) -> List[str]:
    """Engines, reasons, models."""
    found: DefaultDict[Tuple[str, str], List[str]] = defaultdict(list)
    for shapes in ("fixed", "dynamic"):
        for model, row in counted(results, shapes):
            for name, outcome in row.items():
                if "error" not in outcome:
                    found[name, reason(outcome)].append(f"`{model}`" if shapes == "fixed" else f"`{model}` (dynamic)")
    lines = ["| engine | reason | models |", "|---|---|---|"]
    order = list(ENGINES)
    for (name, why), models in sorted(found.items(), key=lambda item: (order.index(item[0][0]), -len(item[1]), item[0][1])):
        lines.append(f"| {ENGINES[name].title} | {why} | {', '.join(models)} |")
    return lines


def predictions(results: Dict[str, Any]) -> List[str]:
    """How often `fluid2onnx lint` is right, by engine."""
    counts: Counter = Counter()
    for shapes in ("fixed", "dynamic"):
        for model, row in counted(results, shapes):
            for name, problems in results.get("lint", {}).get(model, {}).get(shapes, {}).items():
                if name in row:
                    counts[name, bool(problems), "error" not in row[name]] += 1
    names = [name for name in ENGINES if any(name == key[0] for key in counts)]
    lines = ["| engine | pairs | fail | reported | reported and fail | precision | recall |", "|---|---:|---:|---:|---:|---:|---:|"]
    for name in [*names, "all"]:
        of = lambda reported, fails: sum(counts[one, reported, fails] for one in (names if name == "all" else [name]))  # noqa: E731
        right, wrong, missed = of(True, True), of(True, False), of(False, True)
        shares = [f"{right / total:.2f}" if total else "" for total in (right + wrong, right + missed)]
        title = "all" if name == "all" else ENGINES[name].title
        pairs = right + wrong + missed + of(False, False)
        lines.append(f"| {title} | {pairs} | {right + missed} | {right + wrong} | {right} | {shares[0]} | {shares[1]} |")
    return lines


def written(theirs: Dict[str, Any]) -> Dict[str, Any]:
    """The outcomes of the files that Paddle2ONNX wrote, by model."""
    rows = {model: by_shapes["fixed"] for model, by_shapes in theirs["models"].items()}
    return {model: row for model, row in rows.items() if row["onnxruntime"].get("stage") != "convert"}


def compared(results: Dict[str, Any], theirs: Dict[str, Any]) -> List[str]:
    """Passing models of files of both converters, by engine."""
    rows = written(theirs)
    notes: List[str] = []
    lines = ["| engine | Paddle2ONNX | fluid2onnx, fixed sizes | fluid2onnx, dynamic sizes | only Paddle2ONNX |", "|---|---:|---:|---:|---|"]
    for name, engine in ENGINES.items():
        cells = [str(sum(passes(row, name) for row in rows.values()))]
        for shapes in ("fixed", "dynamic"):
            ours = [results["models"][model].get(shapes, {}) for model in rows]
            cells.append(str(sum(passes(row, name) for row in ours)) if shapes == "fixed" or engine.dynamic else "")
        ours_pass = lambda model: any(passes(row, name) for row in results["models"][model].values())  # noqa: E731
        only = [f"`{model}`" for model, row in rows.items() if passes(row, name) and not ours_pass(model)]
        lines.append(f"| {engine.title} | " + " | ".join(cells) + f" | {', '.join(only)} |")
        if (name, only) == ("mnn", ["`ocr_det_east_mbv3`"]):
            notes = ["", "In MNN, the error of `ocr_det_east_mbv3` is 0.0022 at opset 13, and 0.0015 at opset 14. It",
                     "passes from opset 14 on, which has HardSwish. The default is 17. Paddle2ONNX's file has opset 14."]
    return lines + notes


def merged(results: Dict[str, Any], zoo: Dict[str, Any]) -> Dict[str, Any]:
    """The outcomes of both sets of models."""
    if results["versions"] != zoo["versions"] or results["opset"] != zoo["opset"]:
        raise SystemExit("the versions of the engines or the opsets differ; record both again")
    twice = results["models"].keys() & zoo["models"].keys()
    if twice:
        raise SystemExit(f"{', '.join(sorted(twice))}: recorded in both files")
    return {**results, **{key: {**results.get(key, {}), **zoo.get(key, {})} for key in ("models", "lint")}}


THEIRS = """
## The files of Paddle2ONNX

The {count} models of the zoo that Paddle2ONNX {version} converts, at opset 13 with dynamic sizes. The
columns count the models that pass; for Paddle2ONNX's files, with the first batch only. The last
column names models that pass only from Paddle2ONNX's file.
"""

LINT = """
## What `fluid2onnx lint` predicts

`fluid2onnx lint MODEL.onnx --target NAME` knows which operators an engine runs, from models of one
operator (`opspecs/targets`). The table compares what it reports with the outcomes above, at both
fixed and dynamic sizes.

- **Precision**: the share of reported pairs that fail.
- **Recall**: the share of failing pairs that it reports. It does not predict wrong values that
  depend on several nodes.
"""


def main() -> int:
    """Runs the command line."""
    own, zoo, theirs = (json.loads(Path(argument).read_text()) for argument in sys.argv[1:4])
    results = merged(own, zoo)
    versions = [f"| {ENGINES[name].title} | {results['versions'][name]} |" for name in ENGINES if results["versions"].get(name)]
    head = HEAD.format(opset=results["opset"], own=len(own["models"]), zoo=len(zoo["models"]))
    page = [head, "## Fixed sizes", "", *table(results, "fixed"), "", "## Dynamic sizes", "", *table(results, "dynamic")]
    page += [THEIRS.format(count=len(written(theirs)), version=theirs["converter"]).rstrip("\n"), "", *compared(results, theirs)]
    page += ["", "## Versions", "", "| engine | version |", "|---|---|", *versions, "", "## Failures", "", *failures(results)]
    if results.get("lint"):
        page += [LINT.rstrip("\n"), "", *predictions(results)]
    Path(sys.argv[4]).write_text("\n".join(page) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

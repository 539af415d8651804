"""Runs one ONNX file in one engine and compares with Paddle. In a separate process, because engines crash.

    one_pair.py ENGINE TOLERANCE SECONDS MODEL.onnx CASE.npz...

SECONDS limits the CPU time. A case has the inputs as `in:NAME` and Paddle's outputs as `out:INDEX`.
The last line of the output is a JSON object:
`stage` (load, run, compare) and `why` of a failure, or `error`, the largest relative error.
"""
import json
import re
import resource
import sys
from pathlib import Path
from typing import Any, Dict

import numpy as np

from engines import ENGINES
from judge import largest_error


def attempt(engine: str, tolerance: float, model: Path, files: "list[str]") -> Dict[str, Any]:
    """The outcome of one engine on one model."""
    stage = "load"
    try:
        cases = []
        for file in files:
            arrays = dict(np.load(file))
            inputs = {key[3:]: array for key, array in arrays.items() if key.startswith("in:")}
            cases.append((inputs, [arrays[f"out:{index}"] for index in range(len(arrays) - len(inputs))]))
        run = ENGINES[engine].load(model, cases[0][0])
        worst = 0.0
        for inputs, expected in cases:
            stage = "run"
            actual = run(inputs)
            stage = "compare"
            worst = max(worst, largest_error(actual, expected))
    except Exception as problem:  # pylint: disable=broad-except
        text = re.sub(r"\s+", " ", f"{type(problem).__name__}: {problem}")
        return {"stage": stage, "why": text[:400]}
    if worst <= tolerance:
        return {"error": worst}
    return {"stage": "compare", "why": f"other values: relative error {worst:.2g}"}


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[3]), int(sys.argv[3])))
    print("\n" + json.dumps(attempt(sys.argv[1], float(sys.argv[2]), Path(sys.argv[4]), sys.argv[5:])))

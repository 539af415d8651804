"""Real Paddle 3 as the oracle, for operators that Paddle 2.6 does not have: its program is saved as PIR's JSON.

Paddle 3 runs in a separate Python; `paddle_3_worker.py` runs there, one for each of our workers.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np

from fluid2onnx.errors import ModelError

from . import environments
from .cases import Case, Reference
from .operands import draw

# Whose answers count when there is no interpreter, only what it once answered.
VERSION = "3.3.1"
_WORKER = Path(__file__).with_name("paddle_3_worker.py")


def find(asked: Optional[str]) -> Optional[str]:
    """The Python with Paddle 3: the one asked for, or that which scripts/test has made."""
    return asked or environments.find("paddle-3.3")


class Paddle3:
    """A running interpreter; started when first needed, and again after a crash."""

    def __init__(self, python: str):
        self._python = python
        self._process: "Optional[subprocess.Popen[str]]" = None
        self._stderr = tempfile.TemporaryFile("w+")

    def make_reference(self, case: Case, folder: Path) -> Reference:
        """Builds, saves and runs the program of an example.

        Raises:
            ModelError: Paddle rejects the operator, or crashes.
        """
        folder.mkdir(parents=True, exist_ok=True)
        request, arrays = _request(case)
        np.savez(folder / "operands.npz", **arrays)
        answer = self._ask({**request, "folder": str(folder)})
        if "error" in answer:
            raise ModelError(f"Paddle rejects the operator: {answer['error']}")
        with np.load(folder / "results.npz") as results:
            outputs = [results[f"out{i}"] for i in range(len(request["fetch"]))]
        floats = [array for array in outputs if array.dtype.kind in "fc" and array.size]
        if floats and not any(np.isfinite(array).any() for array in floats):
            raise ModelError("the outputs are NaN or infinite throughout, which proves nothing; give the operands a range")
        inputs = {item["name"]: arrays[item["name"]] for item in request["variables"] if not item["constant"]}
        names = [name for name, _, _ in request["fetch"]]
        result = Reference(folder, inputs, outputs, names, {})
        result.save()
        return result

    def _ask(self, request: Dict[str, Any]) -> Dict[str, Any]:
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return json.loads(line)
        self._process = None
        return {"error": f"it crashed (exit status {process.wait()}){self._last_words()}"}

    def _running(self) -> "subprocess.Popen[str]":
        if self._process is None:
            # Our own path would show it the other Paddle.
            environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            self._process = subprocess.Popen(
                [self._python, "-s", str(_WORKER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr,
                text=True, env=environment,
            )
        return self._process

    def _last_words(self) -> str:
        self._stderr.seek(0)
        lines = [line.strip() for line in self._stderr.read()[-4000:].splitlines() if line.strip()]
        self._stderr.seek(0)
        self._stderr.truncate()
        marked = [line for line in lines if "Error:" in line or "Check failed" in line] or lines
        return f": {marked[-1][:300]}" if marked else ""


def version_of(python: Optional[str]) -> str:
    """Of the Paddle there, without importing it."""
    if not python:
        return VERSION
    ask = "import importlib.metadata; print(importlib.metadata.version('paddlepaddle'))"
    done = subprocess.run([python, "-s", "-c", ask], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if done.returncode != 0:
        print(f"run.py: note: {python} has no Paddle 3", file=sys.stderr)
        return VERSION
    return done.stdout.strip()


def _request(case: Case) -> "tuple[Dict[str, Any], Dict[str, np.ndarray]]":
    """What the worker is to build, and the values of its operands by name."""
    data, constants = case.data, set(case.data.get("const") or ())
    arrays: Dict[str, np.ndarray] = {}
    variables: List[Dict[str, Any]] = []
    for slot, operands in data["inputs"].items():
        for operand in operands:
            name = str(operand["name"])
            if name in arrays:
                continue
            arrays[name] = draw(operand, case.name)
            constant = slot in constants
            dims = list(arrays[name].shape) if constant else _open(data.get("dyn"), slot, list(arrays[name].shape))
            variables.append({"name": name, "dtype": str(operand["dtype"]), "shape": dims, "constant": constant})
    fetch = []
    for slot in data.get("compare") or list(data["outputs"]):
        at = data["paddle_3"]["results"].index(slot)
        count = data["outputs"][slot]
        fetch += [[f"{slot}.{i}" if count > 1 else slot, at, i] for i in range(count)]
    arguments = [_argument(argument, data, constants, arrays) for argument in data["paddle_3"]["arguments"]]
    return {"op": data["paddle_3"]["op"], "arguments": arguments, "variables": variables, "fetch": fetch}, arrays


def _open(dyn: Any, slot: str, shape: List[int]) -> List[int]:
    if dyn == "all":
        return [-1] * len(shape)
    for axis in (dyn or {}).get(slot, ()):
        shape[axis] = -1
    return shape


def _argument(argument: Dict[str, Any], data: Dict[str, Any], constants: "set[str]", arrays: Dict[str, np.ndarray]) -> Dict[str, Any]:
    """One of: names of operands, a value, or neither."""
    kind = argument.get("type")
    for slot in argument.get("slots", ()):
        operands = data["inputs"].get(slot)
        if operands is None:
            continue
        names = [str(operand["name"]) for operand in operands]
        if kind and slot in constants:  # an operand that is an attribute, if its value is known
            values = [value for name in names for value in arrays[name].reshape(-1).tolist()]
            return {"value": values if kind.endswith("s") else values[0], "type": kind}
        return {"operands": names, "list": bool(argument.get("list")) or len(names) > 1}
    attribute = (data.get("attrs") or {}).get(argument.get("attr"))
    if attribute is not None and attribute["value"] is not None:
        return {"value": attribute["value"], "type": kind}
    return {"value": argument.get("default"), "type": kind}

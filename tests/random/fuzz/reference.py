"""Paddle's outputs for a case, for inputs moved by some units in the last place, and in float64.

Importing this module imports Paddle.
"""
import copy
import ctypes
from pathlib import Path
from typing import Any, Dict, Iterator, Mapping

import numpy as np
import paddle

from fluid2onnx.errors import ModelError
from harness import oracle
from harness.cases import Case, Reference
from harness.operands import OperandError, draw

from . import programs
from .cases import CALLS, RandomCase
from .doubt import COARSE, FACTOR, FAR, SAME, SOILED, WIDE

# A kernel that damaged the heap aborts; Paddle's own handler of that signal then waits for the heap's lock until the case's time is over.
paddle.disable_signal_handler()

_DTYPE_CODES = {5: 6, 4: 6}
_WIDER = {"float32": "float64", "float16": "float64", "complex64": "complex128"}


def compute(case: RandomCase, folder: Path, how: str = SAME) -> Reference:
    """Saves the program of a case and runs it: on its own values, on MOVED, FAR or COARSE ones (followed by a number), or WIDE.

    Raises:
        ModelError: Paddle rejects it.
    """
    values = values_of(case)
    rng, coarse, units = None, how.startswith(COARSE), FACTOR if how.startswith(FAR) else 1
    if how.startswith(SOILED):
        _soil(int(how[len(SOILED) :]))
    elif how == WIDE:
        case, values = _widened(case), {name: array.astype(_WIDER.get(str(array.dtype), array.dtype)) for name, array in values.items()}
    elif how != SAME:
        rng = case.generator(how)
        values = _moved(values, rng, units, coarse)
    if case.kind == CALLS:
        return programs.compute(case.data, folder, values, rng, units, coarse)
    try:
        if programs.PIR:
            return programs.compute_operator_pir(Case(case.example()), folder, values)
        return oracle.compute(Case(case.example()), folder, values)
    except (OperandError, ValueError) as error:  # a tensor of negative size
        raise ModelError(str(error)) from error


def _soil(byte: int) -> None:
    """Fills memory and gives it back: what is read before it is written, or beyond its end, is then something else."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = libc.memset.restype = ctypes.c_void_p
    libc.malloc.argtypes, libc.free.argtypes = [ctypes.c_size_t], [ctypes.c_void_p]
    libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    blocks = []
    for size in (*range(16, 1040, 16), *range(1040, 16384, 512), 1 << 15, 1 << 16):
        for _ in range(10):
            block = libc.malloc(size)
            libc.memset(block, byte, size)
            blocks.append(block)
    for block in blocks:
        libc.free(block)


def values_of(case: RandomCase) -> Dict[str, np.ndarray]:
    """The values of all operands, constants among them.

    Raises:
        ModelError: the case asks for values that do not exist.
    """
    try:
        if case.kind == CALLS:
            return programs.values_of(case.data, case.name)
        example = Case(case.example())
        return {o["name"]: draw(o, example.name) for operands in case.data["inputs"].values() for o in operands}
    except (OperandError, ValueError, OverflowError) as error:
        raise ModelError(str(error)) from error


def _moved(values: Mapping[str, np.ndarray], rng: Any, units: int, coarse: bool) -> Dict[str, np.ndarray]:
    """Every float up or down by this many units in the last place at most; if `coarse`, in that of float32."""
    result = {}
    for name, array in values.items():
        if array.dtype.kind == "f" and array.size:
            by = np.array([rng.choice((-1, 1)) * rng.randint(1, units) for _ in range(array.size)]).reshape(array.shape)
            with np.errstate(all="ignore"):
                if coarse and array.dtype == np.float64:
                    result[name] = array * (1 + programs.SINGLE * by)
                    continue
                moved = array
                for step in range(units):
                    moved = np.where(np.abs(by) > step, np.nextafter(moved, np.where(by > 0, np.inf, -np.inf).astype(array.dtype)), moved)
                result[name] = moved.astype(array.dtype)
        elif array.dtype.kind == "c" and array.size:
            parts = np.stack([array.real, array.imag])
            moved = _moved({"": parts}, rng, units, coarse)[""]
            result[name] = (moved[0] + 1j * moved[1]).astype(array.dtype)
        else:
            result[name] = array
    return result


def _widened(case: RandomCase) -> RandomCase:
    """The case in float64."""
    data = copy.deepcopy(case.data)
    for operand in _operands(data):
        operand["dtype"] = _WIDER.get(operand["dtype"], operand["dtype"])
    if case.kind == CALLS:
        _widen_arguments(data["calls"])
    else:
        for name, attr in (data.get("attrs") or {}).items():
            if name in ("dtype", "out_dtype", "in_dtype"):
                attr["value"] = _DTYPE_CODES.get(attr["value"], attr["value"])
    return case.with_data(data)


def _operands(data: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
    if "calls" in data:
        yield from data["inputs"]
    else:
        for operands in data["inputs"].values():
            yield from operands


def _widen_arguments(value: Any) -> None:
    if isinstance(value, list):
        for index, item in enumerate(value):
            value[index] = "float64" if item == "float32" else item
            _widen_arguments(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            value[key] = "float64" if item == "float32" else item
            _widen_arguments(item)

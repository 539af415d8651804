"""What Paddle says about a case, and how sure it is: its answers to inputs moved by one unit in the last place, and in float64.

Importing this module imports Paddle.
"""
import copy
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

import numpy as np

from fluid2onnx.errors import ModelError
from harness import oracle
from harness.cases import Case, Reference
from harness.operands import OperandError, draw

from . import programs
from .cases import CALLS, RandomCase

# Outputs may be off by so many times what the smallest change of the inputs, or Paddle's own rounding, makes of them.
FACTOR = 8.0
MOVED = 4

_DTYPE_CODES = {5: 6, 4: 6}
_WIDER = {"float32": "float64", "float16": "float64", "complex64": "complex128"}


def compute(case: RandomCase, folder: Path) -> Reference:
    """Saves the program of a case and runs it.

    Raises:
        ModelError: Paddle rejects it.
    """
    values = values_of(case)
    if case.kind == CALLS:
        return programs.compute(case.data, folder, values)
    return oracle.compute(Case(case.example()), folder, values)


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


def meaningless(outputs: Sequence[np.ndarray]) -> bool:
    """Whether nothing can be told from the outputs: there is no finite number in them."""
    floats = [array for array in outputs if array.dtype.kind in "fc" and array.size]
    return bool(floats) and not any(np.isfinite(array).any() for array in floats)


class Doubt:
    """By output, how far a right answer may be off, and which elements Paddle itself does not know."""

    def __init__(self, case: RandomCase, reference: Reference, folder: Path):
        self._want = [np.asarray(array) for array in reference.outputs]
        self.unstable = False  # the same program on the same inputs gives other answers
        self._runs: List[List[np.ndarray]] = []
        values = values_of(case)
        for _ in range(2):
            again = _try(case, folder, values)
            if again is None or not all(_same(a, b) for a, b in zip(again, self._want)):
                self.unstable = True
                return
        for index in range(MOVED):
            self._add(_try(case, folder, _moved(values, case.generator(f"ulp/{index}"))))
        wide = {name: array.astype(_WIDER.get(str(array.dtype), array.dtype)) for name, array in values.items()}
        if any(wide[name].dtype != values[name].dtype for name in wide):
            self._add(_try(_widened(case), folder, wide))

    def _add(self, run: Optional[List[np.ndarray]]) -> None:
        if run is not None and len(run) == len(self._want):
            self._runs.append(run)

    def explains(self, got: Sequence[np.ndarray], rtol: float, atol: float) -> bool:
        """Whether the differences are no larger than what Paddle's own doubt allows."""
        if self.unstable:
            return True
        return all(self._explains(index, np.asarray(array), rtol, atol) for index, array in enumerate(got))

    def _explains(self, index: int, got: np.ndarray, rtol: float, atol: float) -> bool:
        want = self._want[index]
        others = [run[index] for run in self._runs]
        if any(other.shape != want.shape for other in others):
            return True  # how many there are hangs on the last bit
        if got.shape != want.shape or want.dtype.kind not in "biufc" or got.dtype.kind not in "biufc":
            return False
        wide = np.complex128 if "c" in (got.dtype.kind, want.dtype.kind) else np.float64
        a, b = got.astype(wide), want.astype(wide)
        with np.errstate(all="ignore"):
            close = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
            spread = np.zeros(want.shape)
            for other in others:
                distance = np.abs(other.astype(wide) - b)
                spread = np.maximum(spread, np.where(np.isfinite(distance), distance, 0.0))
                # Infinite or NaN in one run and not in the other.
                close |= np.isfinite(other.astype(wide)) != np.isfinite(b)
            usual = float(np.median(spread)) if spread.size else 0.0
            limit = FACTOR * np.maximum(spread, usual)
            close |= np.abs(a - b) <= limit + atol + rtol * np.abs(b)
        return bool(close.all())


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and (a.tobytes() == b.tobytes() or bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")))


def _try(case: RandomCase, folder: Path, values: Mapping[str, np.ndarray]) -> Optional[List[np.ndarray]]:
    try:
        if case.kind == CALLS:
            return programs.compute(case.data, folder, values).outputs
        return oracle.compute(Case(case.example()), folder, values).outputs
    except (ModelError, OperandError):
        return None


def _moved(values: Mapping[str, np.ndarray], rng: Any) -> Dict[str, np.ndarray]:
    """Every float one unit in the last place up or down."""
    result = {}
    for name, array in values.items():
        if array.dtype.kind == "f" and array.size:
            up = np.array([rng.random() < 0.5 for _ in range(array.size)]).reshape(array.shape)
            with np.errstate(all="ignore"):
                result[name] = np.nextafter(array, np.where(up, np.inf, -np.inf).astype(array.dtype)).astype(array.dtype)
        elif array.dtype.kind == "c" and array.size:
            parts = np.stack([array.real, array.imag])
            moved = _moved({"": parts}, rng)[""]
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

"""How sure Paddle is of its answer: what becomes of it when the inputs move by some units in the last place, and in float64."""
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence

import numpy as np

from fluid2onnx.errors import ModelError
from fluid2onnx.onnx_model import parts
from harness.cases import Reference

from .cases import RandomCase

# Outputs may differ by this multiple of what the smallest change of the inputs, or Paddle's own rounding, makes of them.
FACTOR = 8
# A step is as high as it is, but few moves do not find its full height: of two parts of a complex number of magnitude 1, say.
BEYOND = 2
MOVES = 8  # of two equal numbers the same one comes first in all of them once in 256 times
SOIL = (0x7E, 0x41, 0xC3)  # as floats: huge, about 12, about -390

# How a case is run again. MOVED is followed by a number. SOILED: the memory that Paddle will get holds other bytes than before.
# FAR, with a number as well: by up to FACTOR units, which tells of steps (a tie, an integer) what a multiple of a unit does of slopes.
# COARSE, with a number as well: float64 moves by as much as float32 does.
SAME, SOILED, MOVED, FAR, COARSE, WIDE = "same", "soiled", "moved", "far", "coarse", "wide"

Compute = Callable[[RandomCase, Path, str], Reference]


class Doubt:
    """By output, how far a right answer may be off, and which elements Paddle itself does not know."""

    def __init__(self, compute: Compute, case: RandomCase, reference: Reference, folder: Path):
        self._want = [parts(np.asarray(array)) for array in reference.outputs]
        self._runs: List[List[np.ndarray]] = []
        self.unstable = False  # the same program on the same inputs gives other answers

        def run(how: str) -> Optional[List[np.ndarray]]:
            try:
                return [parts(np.asarray(array)) for array in compute(case, folder, how).outputs]
            except ModelError:
                return None

        for byte in SOIL:
            again = run(f"{SOILED}{byte}")
            if again is None or not all(_same(a, b) for a, b in zip(again, self._want)):
                self.unstable = True
                return
        for how in [*(f"{MOVED}{index}" for index in range(MOVES)), WIDE]:
            outputs = run(how)
            if outputs is not None and len(outputs) == len(self._want):
                self._runs.append(outputs)
        self._run = run
        self._others: Dict[str, List[List[np.ndarray]]] = {}

    def explains(self, got: Sequence[np.ndarray], rtol: float, atol: float, coarse: bool = False) -> bool:
        """Whether the differences are no larger than what Paddle's own doubt allows. `coarse`: float64 went through float32."""
        if self.unstable:
            return True
        runs = self._runs + (self._moved(COARSE) if coarse else [])
        if self._all_explained(got, runs, [], rtol, atol):
            return True
        return self._all_explained(got, runs, self._moved(FAR), rtol, atol)

    def _all_explained(self, got: Sequence[np.ndarray], runs: Sequence[List[np.ndarray]], far: Sequence[List[np.ndarray]], rtol: float, atol: float) -> bool:
        return all(self._explains(index, np.asarray(array), [run[index] for run in runs], [run[index] for run in far], rtol, atol) for index, array in enumerate(got))

    def _moved(self, how: str) -> List[List[np.ndarray]]:
        if how not in self._others:
            outputs = [self._run(f"{how}{index}") for index in range(MOVES)]
            self._others[how] = [run for run in outputs if run is not None and len(run) == len(self._want)]
        return self._others[how]

    def _explains(self, index: int, got: np.ndarray, others: Sequence[np.ndarray], far: Sequence[np.ndarray], rtol: float, atol: float) -> bool:
        want = self._want[index]
        if any(other.shape != want.shape for other in others):
            return True  # how many there are hangs on the last bit
        if got.shape != want.shape:
            return any(other.shape == got.shape for other in far)
        if want.dtype.kind not in "biuf" or got.dtype.kind not in "biuf":
            return False
        far = [other for other in far if other.shape == want.shape]
        a, b = got.astype(np.float64), want.astype(np.float64)
        with np.errstate(all="ignore"):
            close = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
            # Infinite or NaN in one run and not in the other.
            for other in (*others, *far):
                close |= np.isfinite(other.astype(np.float64)) != np.isfinite(b)
            spread = _spread(b, others)
            usual = float(np.median(spread[spread > 0])) if (spread > 0).any() else 0.0
            allowed, moved = FACTOR * np.maximum(spread, usual), _spread(b, far)
            # A slope gives no more than a multiple of what one unit changes: what is far beyond that is a step.
            allowed = np.maximum(allowed, np.where(moved > 2 * FACTOR * spread, BEYOND * moved, moved))
            close |= np.abs(a - b) <= allowed + atol + rtol * np.abs(b)
        return bool(close.all())


def _spread(want: np.ndarray, others: Sequence[np.ndarray]) -> np.ndarray:
    """By element, the largest finite distance."""
    result = np.zeros(want.shape)
    for other in others:
        distance = np.abs(other.astype(np.float64) - want)
        result = np.maximum(result, np.where(np.isfinite(distance), distance, 0.0))
    return result


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return a.tobytes() == b.tobytes() or bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))

"""Compares an engine's outputs with Paddle's, by the largest error in units of the output's largest magnitude."""
from typing import Sequence

import numpy as np

TOLERANCE = 2e-3
TOLERANCE_FP16 = 2e-2  # float16 has 11 significant bits, and errors of a network's layers add up


class Difference(Exception):
    """The outputs differ from Paddle's."""


def largest_error(actual: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> float:
    """The largest relative error over all outputs. Raises `Difference` if counts or element counts differ.

    Engines without 0-D tensors or with batch axes of their own change ranks, so only the order of elements counts.
    """
    if len(actual) != len(expected):
        raise Difference(f"{len(actual)} outputs instead of {len(expected)}")
    worst = 0.0
    for index, (ours, theirs) in enumerate(zip(actual, expected)):
        ours = np.asarray(ours)
        if ours.size != theirs.size:
            raise Difference(f"output {index} has shape {list(ours.shape)} instead of {list(theirs.shape)}")
        if theirs.size:
            worst = max(worst, _error(ours.reshape(-1).astype("f8"), theirs.reshape(-1).astype("f8")))
    return worst


def _error(ours: np.ndarray, theirs: np.ndarray) -> float:
    finite = np.isfinite(theirs)
    if not np.array_equal(ours[~finite], theirs[~finite], equal_nan=True) or not np.isfinite(ours[finite]).all():
        return float("inf")
    if not finite.any():
        return 0.0
    return float(np.abs(ours[finite] - theirs[finite]).max() / max(1e-6, np.abs(theirs[finite]).max()))

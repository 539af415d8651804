"""What Paddle's own outputs do when the last digits of its inputs change."""
from typing import Any, Callable, Dict, List, Sequence

import numpy as np

from .compare import Difference, Tolerance, compare_all
from .errors import ModelError
from .validation_result import Run

# What sums of a thousand products lose of 1, and what a deep network makes of it; a hundredth of the tolerance.
_LAST_DIGITS = (1e-6, 1e-5, 1e-5)


def excuse(run: Run, load: "Callable[[], Any]", want: Sequence[np.ndarray], tolerance: Tolerance) -> None:
    """Excuses a difference if Paddle's own outputs change as much when the last digits of its inputs change.

    Examples are boxes with tied scores, ranks, and labels with nearly equal scores, which networks of random weights often have.
    """
    floats = [name for name, array in run.inputs.arrays.items() if array.dtype.kind == "f"]
    wrong = [item for item in run.outputs if not item.ok]
    if not floats or not wrong or any(item.verdict == "dtype" for item in wrong) or run.error != "; ".join(item.describe() for item in wrong):
        return
    rng = np.random.default_rng(0)
    worst: Dict[str, List[Difference]] = {}
    for digits in _LAST_DIGITS:
        arrays = {
            name: (array * (1 + digits * rng.uniform(-1, 1, array.shape))).astype(array.dtype) if name in floats else array
            for name, array in run.inputs.arrays.items()
        }
        try:
            # Again, for programs with tensor arrays run only once.
            again = load().run(arrays, run.inputs.lod)
        except ModelError:  # Paddle does not get along with no boxes at all, for one
            continue
        names = [item.name for item in run.outputs][: len(want)]
        for item in compare_all(names, again, want, tolerance, ties=True)[0]:
            worst.setdefault(item.name, []).append(item)
    for item in wrong:
        if item.verdict == "values" and item.of == "values" and item.max_abs is None:
            return  # NaN or infinity where Paddle has a number is no matter of last digits
        own = max(worst.get(item.name, []), key=lambda other: (other.verdict == item.verdict, other.wrong), default=None)
        if own is None or own.verdict != item.verdict or own.wrong * 2 < item.wrong or (own.max_abs or 0) * 4 < (item.max_abs or 0):
            return
    for item in wrong:
        own = max(worst[item.name], key=lambda other: other.wrong)
        count = f"{item.wrong} of {item.size} {item.of} differ" if item.verdict == "values" else "the shape differs"
        item.verdict, item.note = "ok", f"{count}, like Paddle's outputs when its inputs change by {max(_LAST_DIGITS):g}: {own.wrong}"
    run.error = ""

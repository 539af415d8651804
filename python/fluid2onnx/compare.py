"""Comparing outputs of two runtimes: number, dtype, shape and values."""
from dataclasses import dataclass
from typing import List, Optional, Sequence

import numpy as np

from .onnx_model import parts
from .tolerances import BFLOAT_ATOL, BFLOAT_RTOL, FLOAT_ATOL, FLOAT_RTOL, HALF_ATOL, HALF_RTOL


# Paddle's Python has no uint16; it is how both runtimes hand out the bits of bfloat16.
_BFLOAT16 = np.uint16


@dataclass(frozen=True)
class Tolerance:
    """|got - want| <= atol + rtol * |want|. None: the default of the output's dtype, which for integers is equality.

    With `scaled`, `atol` is in units of the output's largest magnitude, or of `unit` if that is larger: whole models with
    random weights have outputs of any size, among them differences of large numbers.
    """

    rtol: Optional[float] = None
    atol: Optional[float] = None
    scaled: bool = False
    unit: float = 1e-6

    def of(self, want: np.ndarray) -> "tuple[float, float]":
        """(rtol, atol) for an output; what was asked for is widened for half precision."""
        exact = want.dtype.kind not in "fc" and want.dtype != _BFLOAT16
        if exact and self.scaled:
            return 0.0, 0.0
        rtol = self.rtol if self.rtol is not None else 0.0 if exact else FLOAT_RTOL
        atol = self.atol if self.atol is not None else 0.0 if exact else FLOAT_ATOL
        if want.dtype == np.float16:
            rtol, atol = max(rtol, HALF_RTOL), max(atol, HALF_ATOL)
        elif want.dtype == _BFLOAT16:
            rtol, atol = max(rtol, BFLOAT_RTOL), max(atol, BFLOAT_ATOL)
            want = _widened(want)
        if self.scaled:
            finite = np.abs(want[np.isfinite(want)])
            atol = atol * max(float(finite.max(initial=0.0)), self.unit)
        return rtol, atol


@dataclass
class Difference:
    """The difference of one output.

    Attributes:
        name: the name of the output.
        verdict: "ok", or what is wrong first: "dtype", "shape" or "values".
        dtype: the dtype in ONNX Runtime.
        shape: the shape in ONNX Runtime.
        want_dtype: the dtype in Paddle.
        want_shape: the shape in Paddle.
        max_abs: the largest absolute difference; None: the values cannot be compared.
        max_rel: the largest difference relative to Paddle's value; None: the values cannot be compared.
        wrong: the number of elements out of tolerance.
        size: the number of elements.
        note: a remark on the comparison.
        of: what `wrong` and `size` count.
        first: the first wrong element, such as "the first is 0.5 at [0, 1], Paddle has 0.25".
    """

    name: str
    verdict: str
    dtype: str
    shape: "tuple[int, ...]"
    want_dtype: str
    want_shape: "tuple[int, ...]"
    max_abs: Optional[float] = None
    max_rel: Optional[float] = None
    wrong: int = 0
    size: int = 0
    note: str = ""
    of: str = "values"
    first: str = ""

    @property
    def ok(self) -> bool:
        return self.verdict == "ok"

    def describe(self) -> str:
        """One line about the difference, without "; ", which separates outputs."""
        if self.verdict == "dtype":
            return f"{self.name}: {self.dtype}, Paddle has {self.want_dtype}"
        if self.verdict == "shape":
            return f"{self.name}: shape {list(self.shape)}, Paddle has {list(self.want_shape)}"
        if self.verdict == "values":
            size = "NaN or infinity" if self.max_abs is None else f"max abs {self.max_abs:.3g}, max rel {self.max_rel:.3g}"
            if self.of != "values":
                return f"{self.name}: {self.wrong} of {self.size} {self.of} differ"
            return f"{self.name}: {self.wrong} of {self.size} values differ ({size})" + (f": {self.first}" if self.first else "")
        return f"{self.name}: agrees"


def compare(name: str, got: np.ndarray, want: np.ndarray, tolerance: Tolerance = Tolerance(), values: bool = True) -> Difference:
    """Compares one output strictly: a size-1 dim too many is a difference. NaN equals NaN.

    `values=False` stops at dtype and shape, for random outputs.
    """
    got, want = np.asarray(got), np.asarray(want)
    result = Difference(name, "ok", _dtype_name(got), got.shape, _dtype_name(want), want.shape, size=want.size)
    if got.dtype != want.dtype:
        result.verdict = "dtype"
    elif got.shape != want.shape:
        result.verdict = "shape"
    # With another dtype the values are still worth knowing.
    if got.shape != want.shape or not values:
        return result
    if want.dtype.kind not in "biufc":
        result.wrong = int((got != want).sum())
    else:
        _compare_numbers(result, got, want, tolerance.of(want))
    if result.wrong and result.verdict == "ok":
        result.verdict = "values"
    return result


def _compare_numbers(result: Difference, got: np.ndarray, want: np.ndarray, limits: "tuple[float, float]") -> None:
    rtol, atol = limits
    wide = np.complex128 if "c" in (got.dtype.kind, want.dtype.kind) else np.float64
    a, b = _widened(got).astype(wide), _widened(want).astype(wide)
    close = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
    if not (rtol or atol) and got.dtype.kind in "bui" and want.dtype.kind in "bui":
        close = got == want  # int64 does not fit float64
    result.wrong = int(close.size - np.count_nonzero(close))
    if result.wrong:
        at = tuple(int(i) for i in np.argwhere(~close)[0]) if close.ndim else ()
        given, wanted = (_number_text(_widened(array)[at]) for array in (got, want))
        result.first = f"the first is {given} at {list(at)}, Paddle has {wanted}" if at else f"it is {given}, Paddle has {wanted}"
    with np.errstate(all="ignore"):
        # The difference of equal infinities is NaN, but they do not differ.
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        distance = np.where(same, 0.0, np.abs(a - b))
        if np.isfinite(distance).all():
            result.max_abs = float(distance.max(initial=0.0))
            result.max_rel = float((distance / np.maximum(np.abs(b), 1e-12)).max(initial=0.0))


def _number_text(number: np.generic) -> str:
    return f"{number:.9g}" if number.dtype.kind in "fc" else str(number)


def _dtype_name(array: np.ndarray) -> str:
    return "bfloat16" if array.dtype == _BFLOAT16 else str(array.dtype)


def _widened(array: np.ndarray) -> np.ndarray:
    """bfloat16 as the float32 whose upper half it is."""
    if array.dtype != _BFLOAT16:
        return array
    return (array.reshape(-1).astype(np.uint32) << 16).view(np.float32).reshape(array.shape)


def compare_all(
    names: Sequence[str],
    got: Sequence[np.ndarray],
    want: Sequence[np.ndarray],
    tolerance: Tolerance = Tolerance(),
    values: bool = True,
    ties: bool = False,
) -> "tuple[List[Difference], str]":
    """Compares lists of outputs; returns the differences and one line that describes the error, empty if they agree.

    `ties`: detected boxes are compared as a set where their order differs.
    """
    if len(got) != len(want):
        return [], f"{len(got)} outputs, Paddle has {len(want)}"
    want = [parts(array) for array in want]
    found = [compare(name, a, b, tolerance, values) for name, a, b in zip(names, got, want)]
    if values and ties:
        _compare_as_sets(found, got, want, tolerance)
    return found, "; ".join(item.describe() for item in found if not item.ok)


def _compare_as_sets(found: List[Difference], got: Sequence[np.ndarray], want: Sequence[np.ndarray], tolerance: Tolerance) -> None:
    """Compares the rows of detected boxes as a set: neither runtime promises an order of scores that tie.

    Where all that differs is the order of such rows, outputs with an entry for each box are compared in the same order.
    """
    for index, item in enumerate(found):
        a, b = np.asarray(got[index]), want[index]
        if item.verdict not in ("values", "shape") or not (are_boxes(a) and are_boxes(b) and a.shape[1] == b.shape[1] and a.dtype == b.dtype):
            continue
        order = detection_order(a, b, tolerance)
        if order is None:
            matched = _match(a, b, tolerance)
            missing = max(len(a), len(b)) - int((matched >= 0).sum())
            if not missing:  # of other scores
                item.note = "the same boxes in another order"
                continue
            item.max_abs = item.max_rel = None
            item.wrong, item.size, item.of = missing, max(len(a), len(b)), "boxes"
            if _only_ties(a, b, matched, tolerance):
                item.verdict, item.note = "ok", f"{item.wrong} of {item.size} boxes differ: other boxes have the same scores"
            else:
                item.verdict, item.note = "values", "compared as a set"
            continue
        for other, (a, b) in enumerate(zip(got, want)):
            a = np.asarray(a)
            if found[other].verdict in ("ok", "values") and a.ndim and len(a) == len(order):
                found[other] = compare(found[other].name, a[order], b, tolerance)
                found[other].note = "rows of equal scores in another order"


def detection_order(got: np.ndarray, want: np.ndarray, tolerance: Tolerance = Tolerance()) -> Optional[np.ndarray]:
    """The order in which the rows [label, score, 4 or more coordinates] of `got` are those of `want`.

    None if missing, or if more than rows of equal scores would change places.
    """
    if not are_boxes(want) or got.shape != want.shape or got.dtype != want.dtype:
        return None
    rtol, atol = tolerance.of(want)
    if not np.isclose(got[:, 1], want[:, 1], rtol=rtol, atol=atol).all():
        return None
    order = _match(got, want, tolerance)
    return order if (order >= 0).all() else None


def are_boxes(array: np.ndarray) -> bool:
    """Rows of label, score and the corners of a box: 2, or 4 to 16 of a polygon."""
    rows = array.ndim == 2 and array.shape[1] in (6, 10, 18, 26, 34) and array.dtype.kind == "f"
    return rows and bool((array[:, 0] == np.round(array[:, 0])).all())


def _match(got: np.ndarray, want: np.ndarray, tolerance: Tolerance) -> np.ndarray:
    """For each row of `want` the nearest equal row of `got` that is not taken; -1 if missing."""
    rtol, atol = tolerance.of(want)
    free = np.ones(len(got), bool)
    order = np.full(len(want), -1, np.int64)
    for index, row in enumerate(want):
        same = np.flatnonzero(free & np.isclose(got, row, rtol=rtol, atol=atol).all(axis=1))
        if same.size:
            order[index] = same[np.argmin(np.abs(same - index))]
            free[order[index]] = False
    return order


def _only_ties(got: np.ndarray, want: np.ndarray, matched: np.ndarray, tolerance: Tolerance) -> bool:
    """Whether the scores are the same, and each of a box without a counterpart is also that of another box: among ties,
    suppression and the limit of their number choose by an undefined order."""
    rtol, atol = tolerance.of(want)
    if got.shape != want.shape or not np.isclose(got[:, 1], want[:, 1], rtol=rtol, atol=atol).all():
        return False
    return all(np.isclose(want[:, 1], score, rtol=rtol, atol=atol).sum() > 1 for score in want[matched < 0, 1])


def relative_error(got: np.ndarray, want: np.ndarray) -> float:
    """How far a tensor as a whole is off: the norm of the difference by that of what is wanted; of others than floats the share that
    differs. Infinity for another shape."""
    if got.shape != want.shape:
        return float("inf")
    if want.dtype.kind not in "fc" and want.dtype != _BFLOAT16:
        return float(np.mean(got != want)) if want.size else 0.0
    a, b = _widened(got).astype(np.float64), _widened(want).astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        difference = float(np.linalg.norm(np.where(same, 0.0, a - b)))
        size = float(np.linalg.norm(b[np.isfinite(b)]))
    return 0.0 if not difference else difference / size if size and np.isfinite(difference) else float("inf")

"""Sequences of different lengths in one tensor (LoD): from lists of arrays, and back."""
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

import numpy as np

# An array, or the sequences of a batch; of several levels, lists of such lists.
Given = Union[np.ndarray, Sequence[Any]]


def pack_sequences(inputs: Mapping[str, Given]) -> Dict[str, np.ndarray]:
    """Converts lists of sequences to the inputs of an ONNX model. A list of arrays is a batch of sequences.

    NAME has the concatenated rows of all sequences, and NAME.lengths (int64) the number of rows of each sequence:

        session.run(None, fluid2onnx.pack_sequences({"words": [first, second]}))

    For lists of lists, such as `{"words": [[a, b], [c]]}`, NAME.lengths_0 has the number of inner sequences per outer sequence, and
    NAME.lengths_1 their numbers of rows. Arrays are not changed. If the model has no input NAME.lengths, remove it from the result.

    Raises:
        ValueError: the sequences have different shapes or levels.
    """
    feeds: Dict[str, np.ndarray] = {}
    for name, value in inputs.items():
        rows, levels = rows_and_lengths(value)
        feeds[name] = rows
        for level, lengths in enumerate(levels):
            feeds[lengths_name(name, level, len(levels))] = lengths
    return feeds


def split_sequences(rows: np.ndarray, *lengths: np.ndarray) -> List[Any]:
    """Splits the rows of an output into sequences. `lengths` is the output's NAME.lengths, or that of the input with equal lengths.

    With several levels, pass NAME.lengths_0, NAME.lengths_1 ...; the result is a list of lists.

    Raises:
        ValueError: the sum of the lengths is not the number of rows.
    """
    parts: List[Any] = list(rows)
    for depth, level in enumerate(reversed(lengths)):
        if int(np.sum(level)) != len(parts):
            raise ValueError(f"lengths add up to {int(np.sum(level))}, but there are {len(parts)} {'sequences' if depth else 'rows'}")
        ends = np.cumsum(level)
        parts = [(parts if depth else rows)[end - size : end] for size, end in zip(np.asarray(level).tolist(), ends.tolist())]
    return parts


def rows_and_lengths(value: Given) -> Tuple[np.ndarray, List[np.ndarray]]:
    """The rows of all sequences, and their lengths by level, outermost first; none for an array."""
    if not isinstance(value, (list, tuple)):
        return np.asarray(value), []
    single = [part for part in value if not isinstance(part, (list, tuple)) and np.ndim(part) == 0]
    if single:
        raise ValueError(f"a list denotes sequences, and {single[0]!r} is not a sequence; pass plain rows as an array")
    counts = np.array([len(part) for part in value], np.int64)
    if any(_holds_sequences(part) for part in value):
        if not all(isinstance(part, (list, tuple)) for part in value):
            raise ValueError("some sequences are lists of sequences, and some are not")
        rows, levels = rows_and_lengths([inner for part in value for inner in part])
        return rows, [counts, *levels]
    parts = [np.asarray(part) for part in value]
    if not parts:
        raise ValueError("a batch needs at least one sequence")
    shapes = {part.shape[1:] for part in parts if part.size}
    dtypes = {part.dtype for part in parts if part.size}
    if len(shapes) > 1 or len(dtypes) > 1:
        raise ValueError(f"the sequences differ in {'the shape of a row' if len(shapes) > 1 else 'dtype'}: {sorted(map(str, shapes if len(shapes) > 1 else dtypes))}")
    # An empty list has neither.
    kept = [part for part in parts if part.size] or parts[:1]
    return np.concatenate(kept), [counts]


def _holds_sequences(part: Any) -> bool:
    return isinstance(part, (list, tuple)) and any(isinstance(item, (list, tuple)) or getattr(item, "ndim", 0) for item in part)


def lengths_name(name: str, level: int, levels: int) -> str:
    return f"{name}.lengths" + (f"_{level}" if levels > 1 else "")


def offsets(lengths: Sequence[np.ndarray]) -> List[List[int]]:
    """Paddle's form of the same: where each sequence begins, and where the last one ends."""
    return [[0, *np.cumsum(level, dtype=np.int64).tolist()] for level in lengths]

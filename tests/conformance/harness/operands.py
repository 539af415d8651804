"""Values for the operands of an example. The same example always gets the same values."""
import math
import zlib
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

# Where an example gives no range. Floats straddle zero; integers are few, so that equal ones occur.
FLOAT_RANGE = (-1.0, 1.0)
INTEGER_RANGE = (-5, 6)
UNSIGNED_RANGE = (0, 11)
BOX_RANGE = (0.0, 1.0)


class OperandError(ValueError):
    """An example asks for values that do not exist, such as ten different ones in [0, 4)."""


def draw(operand: Dict[str, Any], seed: str) -> np.ndarray:
    """The array of one operand: an object of an example's `inputs`. bfloat16 comes as the uint16 of its bits."""
    dtype, shape = str(operand["dtype"]), [int(dim) for dim in operand["shape"]]
    rng = np.random.default_rng(zlib.crc32(f"{seed}/{operand['name']}".encode()))
    if operand.get("values") is not None:
        return _given(operand["values"], dtype, shape)
    if dtype == "bfloat16":
        return _bfloat16(draw({**operand, "dtype": "float32"}, seed))
    if operand.get("boxes"):
        values = _boxes(shape, operand.get("range"), rng)
    elif operand.get("permutation"):
        values = rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)
    elif dtype == "bool":
        values = rng.integers(0, 2, shape)
    elif dtype.startswith("complex"):
        low, high, _ = _range(operand.get("range"), FLOAT_RANGE)
        values = rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)
    elif dtype.startswith("float"):
        values = _floats(operand, shape, rng)
    else:
        values = _integers(operand, dtype, shape, rng)
    if operand.get("sorted") and shape:
        values = np.sort(values, axis=-1)
    return np.asarray(values).astype(dtype)


def _range(given: Optional[Sequence[Any]], default: "tuple[float, float]") -> "tuple[float, float, bool]":
    """(low, high, whether high is included)."""
    if not given:
        return default[0], default[1], False
    low, high = float(given[0]), float(given[1])
    return low, high, bool(given[2]) if len(given) > 2 else False


def _floats(operand: Dict[str, Any], shape: List[int], rng: np.random.Generator) -> np.ndarray:
    low, high, _ = _range(operand.get("range"), FLOAT_RANGE)
    size = math.prod(shape)
    if operand.get("unique"):
        # Evenly spread: two close values could change places in another precision.
        return rng.permutation(low + (high - low) * (np.arange(size) + 0.5) / max(size, 1)).reshape(shape)
    values = rng.uniform(low, high, shape)
    if operand.get("nonzero"):
        # Far enough from zero that a quotient is not huge.
        least = 0.1 * max(abs(low), abs(high))
        values = np.where(np.abs(values) < least, np.where(values < 0, -least, least if high > 0 else -least), values)
    return values


def _integers(operand: Dict[str, Any], dtype: str, shape: List[int], rng: np.random.Generator) -> np.ndarray:
    default = UNSIGNED_RANGE if dtype.startswith("uint") else INTEGER_RANGE
    low, high, inclusive = _range(operand.get("range"), default)
    pool = np.arange(int(low), int(high) + int(inclusive)) if high - low < 1 << 20 else None
    size = math.prod(shape)
    if operand.get("nonzero") and pool is not None:
        pool = pool[pool != 0]
    if pool is None:
        return rng.integers(int(low), int(high), shape, endpoint=inclusive)
    if not len(pool) and size:
        raise OperandError(f"operand '{operand['name']}': there is no value in its range")
    if operand.get("unique"):
        if size > len(pool):
            raise OperandError(f"operand '{operand['name']}': {size} different values asked for, its range has {len(pool)}")
        return rng.permutation(pool)[:size].reshape(shape)
    return rng.choice(pool, shape) if size else np.zeros(shape)


def _boxes(shape: List[int], given: Optional[Sequence[Any]], rng: np.random.Generator) -> np.ndarray:
    """x1, y1, x2, y2 in the last axis, each box with an area."""
    low, high, _ = _range(given, BOX_RANGE)
    first = rng.uniform(0.0, 0.7, [*shape[:-1], 2])
    size = rng.uniform(0.1, 0.3, [*shape[:-1], 2])
    return low + (high - low) * np.concatenate([first, first + size], axis=-1)


def _given(values: Any, dtype: str, shape: List[int]) -> np.ndarray:
    if dtype == "bfloat16":
        return _bfloat16(_given(values, "float32", shape))
    if dtype.startswith(("float", "complex")):
        values = _numbers(values)
    return np.array(values, dtype=dtype).reshape(shape)


def _numbers(values: Any) -> Any:
    """JSON has no NaN and no infinity; an example writes them as "nan", "inf" and "-inf"."""
    if isinstance(values, list):
        return [_numbers(value) for value in values]
    return float(values) if isinstance(values, str) else values


def _bfloat16(values: np.ndarray) -> np.ndarray:
    """Rounded to nearest even, as bits."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)

"""What a maker of calls may ask for: operands (an earlier result, or a new input), numbers, axes."""
import random
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .cases import Data

FLOATS = ("float32", "float64")
INTEGERS = ("int64", "int32")
SIZES = (1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8)
LARGER = (9, 12, 16, 17, 31, 33, 48, 64, 100)  # where roundings add up, and loops have another form

Shape = Tuple[int, ...]


class Value:
    """An input or a result: what calls know of it."""

    def __init__(self, name: str, dtype: str, shape: Sequence[int]):
        self.name, self.dtype, self.shape = name, dtype, tuple(shape)

    @property
    def ref(self) -> Data:
        return {"v": self.name}

    @property
    def rank(self) -> int:
        return len(self.shape)


class NotNow(Exception):
    """A maker cannot make its call with what there is."""


class Context:
    """The inputs and results so far, and the random numbers."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.values: List[Value] = []
        self.inputs: List[Data] = []
        self._last: Optional[Value] = None

    def add_result(self, value: Value) -> None:
        """Makes a result known; the next call will probably take it."""
        self.values.append(value)
        self._last = value

    def choice(self, options: Sequence[Any]) -> Any:
        return self.rng.choice(list(options))

    def maybe(self, probability: float = 0.5) -> bool:
        return self.rng.random() < probability

    def integer(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def number(self, low: float, high: float) -> float:
        return round(self.rng.uniform(low, high), 3)

    def size(self) -> int:
        choice = self.rng.random()
        return self.rng.choice(LARGER) if choice < 0.03 else self.rng.choice(SIZES)

    def shape(self, low: int = 0, high: int = 4) -> Shape:
        sizes = [self.size() for _ in range(self.rng.randint(low, high))]
        if sizes and self.maybe(0.01):
            sizes[0] = 0  # no rows
        return tuple(sizes)

    def new(self, shape: Sequence[int], dtype: str = "float32", **constraints: Any) -> Value:
        """A new input. `constraints` as in the examples: range, unique, values."""
        name = f"x{len(self.inputs)}"
        self.inputs.append({"name": name, "dtype": dtype, "shape": list(shape), **{k: v for k, v in constraints.items() if v is not None}})
        value = Value(name, dtype, shape)
        self.values.append(value)
        return value

    def tensor(
        self,
        low: int = 0,
        high: int = 4,
        dtypes: Sequence[str] = FLOATS,
        shape: Optional[Sequence[int]] = None,
        fresh: bool = False,
        empty: bool = True,
        **constraints: Any,
    ) -> Value:
        """An operand of that rank or shape. The last result if it fits, else maybe an earlier value, else a new input."""

        def fits(value: Value) -> bool:
            if value.dtype not in dtypes or not low <= value.rank <= high or (not empty and 0 in value.shape):
                return False
            return shape is None or value.shape == tuple(shape)

        # A new input is in the range that the function wants, a result is in whichever it is.
        if not fresh and not (constraints and self.maybe(0.7)):
            if self._last is not None and fits(self._last) and self.maybe(0.9):
                return self._last
            fitting = [value for value in self.values if fits(value)]
            if fitting and self.maybe(0.3):
                return self.choice(fitting)
        chosen = list(shape) if shape is not None else list(self.shape(low, high))
        if not empty and shape is None:
            chosen = [max(size, 1) for size in chosen]
        return self.new(chosen, dtypes[0] if self.maybe(0.8) else self.choice(dtypes), **constraints)

    def broadcast(self, other: Value, **constraints: Any) -> Value:
        """An operand that broadcasts with another, of its dtype."""
        if self.maybe(0.15):
            same = [value for value in self.values if value.dtype == other.dtype and value.shape == other.shape]
            if same:
                return self.choice(same)
        shape = [1 if self.maybe(0.2) else size for size in other.shape]
        if self.maybe(0.3):
            shape = shape[self.integer(0, len(shape)) :]
        elif self.maybe(0.15) and len(shape) < 5:
            shape = [self.size(), *shape]
        return self.new(shape, other.dtype, **constraints)

    def axis(self, value: Value) -> int:
        if not value.rank:
            return self.choice((0, -1))
        return self.integer(-value.rank, value.rank - 1)

    def axes(self, value: Value, least: int = 1) -> List[int]:
        """Different axes, some of them counted from the end."""
        chosen = self.rng.sample(range(value.rank), self.integer(min(least, value.rank), value.rank)) if value.rank else []
        return [axis - value.rank if self.maybe(0.3) else axis for axis in chosen]

    def parameter(self, numbers: Sequence[int], fixed: bool = False) -> Any:
        """A list of numbers as an attribute; now and then as a tensor, or with tensors in it."""
        choice = self.rng.random()
        if fixed or choice < 0.7 or not numbers:
            return list(numbers)
        dtype = self.choice(("int32", "int64"))
        if choice < 0.85:
            return self.new([len(numbers)], dtype, values=list(numbers)).ref
        items: List[Any] = list(numbers)
        for index, number in enumerate(numbers):
            if self.maybe(0.5):
                items[index] = self.new([1], dtype, values=[number]).ref if self.maybe() else self.new([], dtype, values=number).ref
        return items


def options(context: Context, **possible: Sequence[Any]) -> Dict[str, Any]:
    """Keyword arguments, each there now and then."""
    return {name: context.choice(values) for name, values in possible.items() if context.maybe(0.4)}

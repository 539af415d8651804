"""The table of makers, by the function that they call."""
from typing import Any, Callable, Dict, List

from ..cases import Data
from ..context import Context, Value

Maker = Callable[[Context], Data]
MAKERS: Dict[str, List[Maker]] = {}

NN = "paddle.nn.functional."


def maker(*functions: str) -> Callable[[Callable[..., Data]], Callable[..., Data]]:
    """Registers a maker, called as make(context) for one function, make(context, function) for several."""

    def register(make: Callable[..., Data]) -> Callable[..., Data]:
        for function in functions:
            if len(functions) == 1:
                MAKERS.setdefault(function, []).append(make)
            else:
                MAKERS.setdefault(function, []).append(lambda context, function=function: make(context, function))
        return make

    return register


def prefixed(prefix: str, names: str) -> List[str]:
    """Full names of functions listed in one string."""
    return [prefix + name for name in names.split()]


def call(function: str, *args: Any, **kwargs: Any) -> Data:
    """A call; operands are given as they are."""
    return {"fn": function, "args": [plain(item) for item in args], "kwargs": {name: plain(item) for name, item in kwargs.items()}}


def plain(item: Any) -> Any:
    """JSON of an argument."""
    if isinstance(item, Value):
        return item.ref
    if isinstance(item, (list, tuple)):
        return [plain(part) for part in item]
    if isinstance(item, dict):
        return {name: plain(part) for name, part in item.items()}
    return item

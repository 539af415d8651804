"""What is asked of the converter, as engine.call() takes it."""
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

Dims = Sequence[Union[int, str, None]]


def add(request: Dict[str, Any], **members: Any) -> None:
    """Adds what differs from the defaults, all of which are nothing."""
    request.update((name, value) for name, value in members.items() if value)


def names(given: Sequence[str]) -> List[str]:
    if isinstance(given, str):
        raise TypeError(f"{given!r} is a str; expected a list of names")
    return [str(name) for name in given]


def shapes(given: Optional[Mapping[str, Dims]]) -> Dict[str, str]:
    if not isinstance(given or {}, Mapping):
        raise TypeError(f"{given!r} is no mapping; expected shapes by input names, such as {{'x': [1, 3, None, None]}}")
    return {name: _shape(name, dims) for name, dims in (given or {}).items()}


def _shape(name: str, dims: Dims) -> str:
    if isinstance(dims, str) or not isinstance(dims, Iterable):
        raise TypeError(f"the shape of '{name}' is {dims!r}; expected a list of sizes, names or None")
    return ",".join("-1" if dim is None else str(dim) for dim in dims)

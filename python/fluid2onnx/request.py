"""What is asked of the converter, as engine.call() takes it."""
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

Dims = Sequence[Union[int, str, None]]


def add(request: Dict[str, Any], **members: Any) -> None:
    """Adds the values that are set; all defaults are empty."""
    request.update((name, value) for name, value in members.items() if value)


def names(given: Sequence[str]) -> List[str]:
    if isinstance(given, str):
        raise TypeError(f"{given!r} is a str; expected a list of names")
    return [str(name) for name in given]


def shapes(given: Optional[Mapping[str, Dims]]) -> Dict[str, str]:
    return {name: ",".join("-1" if dim is None else str(dim) for dim in dims) for name, dims in dims_by_name(given).items()}


def dims_by_name(given: Optional[Mapping[str, Dims]]) -> Dict[str, Dims]:
    """Raises TypeError, ValueError: see `dims_of`."""
    if not isinstance(given or {}, Mapping):
        raise TypeError(f"{given!r} is not a mapping; expected shapes by input names, such as {{'x': [1, 3, None, None]}}")
    return {name: dims_of(dims, name) for name, dims in (given or {}).items()}


def dims_of(given: Dims, name: str = "") -> Dims:
    """The dims of a shape; text is as on the command line, such as "batch,3,?,224".

    Raises:
        TypeError: it is neither a list nor text.
        ValueError: a word of the text is no dim.
    """
    if not isinstance(given, Iterable):
        raise TypeError(f"the shape of '{name}' is {given!r}; expected a list of sizes, names or None")
    return [_dim(word.strip(), given) for word in given.split(",")] if isinstance(given, str) and given else given


def _dim(word: str, dims: str) -> Union[int, str, None]:
    if word in ("?", "-1"):
        return None
    if word.isdecimal() and int(word) > 0:
        return int(word)
    if not word or word[0] in "-0123456789":
        raise ValueError(f"'{word}' in '{dims}' is not a dimension; expected a size of at least 1, a name, ? or -1")
    return word


def paths(given: "Sequence[str | os.PathLike[str]]") -> List[str]:
    """Of spec files or of libraries."""
    if isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{_start(given)} is a str or path; expected a list of paths")
    for path in given:
        if isinstance(path, str) and "\n" in path:
            raise ValueError(f"{_start(path)} is text; expected the path of a file or folder")
    return [os.fsdecode(path) for path in given]


def _start(given: object) -> str:
    text = str(given)
    return repr(text if len(text) <= 60 else text[:57] + "...")

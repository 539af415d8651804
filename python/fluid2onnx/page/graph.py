"""A model's graph as the page shows it: of a Paddle program or of an ONNX file."""
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, Optional, Tuple


@dataclass
class Node:
    """An operator. `scope` are the names of the groups that it is in, outermost first."""

    type: str
    inputs: List[Tuple[str, str]]  # slot or position, name of the tensor
    outputs: List[Tuple[str, str]]
    name: str = ""
    place: str = ""
    source: str = ""
    scope: List[str] = field(default_factory=list)
    attributes: List[Tuple[str, str]] = field(default_factory=list)
    problem: Optional[int] = None


@dataclass
class Tensor:
    """What is known of a tensor; `bytes` of weights."""

    type: str = ""
    bytes: Optional[int] = None
    weight: bool = False


@dataclass
class Problem:
    code: str
    message: str
    hint: str = ""
    place: str = ""
    node: Optional[int] = None


@dataclass
class Graph:
    title: str
    facts: List[Tuple[str, str]]
    nodes: List[Node]
    tensors: Dict[str, Tensor]
    inputs: List[Tuple[str, str]]  # the name for users, that of the tensor
    outputs: List[Tuple[str, str]]
    problems: List[Problem] = field(default_factory=list)
    verdict: str = ""
    ok: Optional[bool] = None  # whether it can be converted; None: that was not the question

    def as_json(self) -> Dict[str, Any]:
        return asdict(self)


def type_text(dtype: str, shape: Optional[List[Any]]) -> str:
    """float32[?, 3]"""
    dims = "" if shape is None else "[" + ", ".join("?" if dim in (None, -1, "") else str(dim) for dim in shape) + "]"
    return dtype + dims


def size_text(size: int) -> str:
    amount, unit = float(size), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if amount < 1000:
            break
        amount /= 1000
    return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"

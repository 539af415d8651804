"""Which element type the weights of an ONNX model have, read from the file without loading it."""
import mmap
import os
from typing import Any, Dict, Iterator, Tuple

from . import wire

# Of onnx.proto: fields, and the floating element types.
_MODEL_GRAPH, _GRAPH_INITIALIZER, _TENSOR_DIMS, _TENSOR_DTYPE = 7, 5, 1, 2
_FLOATS = {1: "float32", 10: "float16", 11: "float64", 16: "bfloat16"}


def of_weights(path: "os.PathLike[str] | str") -> str:
    """The floating type of most elements of the weights, such as "float16"; "" if there are none, or the file is no model."""
    counts: Dict[str, int] = {}
    try:
        with open(path, "rb") as file:
            model = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        for number, _, graph in wire.fields(model):
            if number != _MODEL_GRAPH:
                continue
            for field, _, tensor in wire.fields(graph):
                if field == _GRAPH_INITIALIZER:
                    name, elements = _tensor(tensor)
                    counts[name] = counts.get(name, 0) + elements
    except (OSError, ValueError, IndexError):
        return ""
    counts.pop("", None)
    return max(counts, key=lambda name: counts[name], default="")


def _tensor(tensor: Any) -> Tuple[str, int]:
    dtype, elements = 0, 1
    for number, kind, content in wire.fields(tensor):
        if number == _TENSOR_DTYPE and kind == wire.VARINT:
            dtype = next(_varints(content))
        elif number == _TENSOR_DIMS:
            for dim in _varints(content):
                elements *= dim
    return _FLOATS.get(dtype, ""), elements


def _varints(content: Any) -> Iterator[int]:
    """One, or all of a packed field."""
    position = 0
    while position < len(content):
        value, position = wire.read_varint(content, position)
        yield value

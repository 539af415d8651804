"""Sizes of inputs, set in ONNX files as they are."""
from typing import Callable, Dict, List, Mapping, Optional

from ...wire import fields, replace, text, varint_field

# Field numbers of onnx.proto.
_MODEL_GRAPH = 7
_GRAPH_INPUT, _GRAPH_OUTPUT, _GRAPH_VALUE = 11, 12, 13
_VALUE_NAME, _VALUE_TYPE = 1, 2
_TYPE_TENSOR, _TENSOR_SHAPE, _SHAPE_DIM = 1, 2, 1
_DIM_SIZE, _DIM_NAME = 1, 2

Sizes = List[Optional[int]]


def set_input_shapes(model: bytes, shapes: Mapping[str, Sizes]) -> bytes:
    """The model with these shapes for inputs; a name of a dim that gets a size has that size everywhere.

    Raises:
        ValueError: there is no such input, its rank is another, or not an ONNX model.
    """
    found: Dict[str, bool] = {}
    renamed: Dict[bytes, int] = {}

    def input_(value: bytes) -> bytes:
        name = text(value, _VALUE_NAME)
        if name not in shapes:
            return value
        found[name] = True
        sizes = iter(shapes[name])
        count = _count_dims(value)
        if count != len(shapes[name]):
            raise ValueError(f"input '{name}' has {count} dims, but {len(shapes[name])} are given for it")

        def dim(old: bytes) -> bytes:
            size = next(sizes)
            if size is None or size < 0:
                return old
            for number, _, content in fields(old):
                if number == _DIM_NAME:
                    renamed[content] = size
            return varint_field(_DIM_SIZE, size)

        return _on_dims(value, dim)

    def everywhere(value: bytes) -> bytes:
        def dim(old: bytes) -> bytes:
            for number, _, content in fields(old):
                if number == _DIM_NAME and content in renamed:
                    return varint_field(_DIM_SIZE, renamed[content])
            return old

        return _on_dims(value, dim)

    try:
        model = replace(model, _MODEL_GRAPH, lambda graph: replace(graph, _GRAPH_INPUT, input_))
        for port in (_GRAPH_INPUT, _GRAPH_OUTPUT, _GRAPH_VALUE):
            model = replace(model, _MODEL_GRAPH, lambda graph: replace(graph, port, everywhere))
    except IndexError as error:
        raise ValueError("not an ONNX model") from error
    missing = [name for name in shapes if name not in found]
    if missing:
        raise ValueError(f"the model has no input '{missing[0]}'")
    return model


def _on_dims(value: bytes, edit: Callable[[bytes], bytes]) -> bytes:
    path = (_VALUE_TYPE, _TYPE_TENSOR, _TENSOR_SHAPE, _SHAPE_DIM)

    def descend(content: bytes, depth: int) -> bytes:
        if depth == len(path):
            return edit(content)
        return replace(content, path[depth], lambda inner: descend(inner, depth + 1))

    return descend(value, 0)


def _count_dims(value: bytes) -> int:
    seen: List[bytes] = []

    def note(dim: bytes) -> bytes:
        seen.append(dim)
        return dim

    _on_dims(value, note)
    return len(seen)

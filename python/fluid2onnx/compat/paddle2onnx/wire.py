"""ONNX files, changed in place: as much of protobuf's wire format as that takes."""
from typing import Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

# Field numbers of onnx.proto.
_MODEL_GRAPH = 7
_GRAPH_INPUT, _GRAPH_OUTPUT, _GRAPH_VALUE = 11, 12, 13
_VALUE_NAME, _VALUE_TYPE = 1, 2
_TYPE_TENSOR, _TENSOR_SHAPE, _SHAPE_DIM = 1, 2, 1
_DIM_SIZE, _DIM_NAME = 1, 2

VARINT, _FIXED64, BYTES, _FIXED32 = 0, 1, 2, 5

Sizes = List[Optional[int]]


def set_input_shapes(model: bytes, shapes: Mapping[str, Sizes]) -> bytes:
    """The model with these shapes for inputs; a name of a dim that gets a size has that size everywhere.

    Raises:
        ValueError: there is no such input, its rank is another, or this is no ONNX model.
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
            return _varint_field(_DIM_SIZE, size)

        return _on_dims(value, dim)

    def everywhere(value: bytes) -> bytes:
        def dim(old: bytes) -> bytes:
            for number, _, content in fields(old):
                if number == _DIM_NAME and content in renamed:
                    return _varint_field(_DIM_SIZE, renamed[content])
            return old

        return _on_dims(value, dim)

    try:
        model = replace(model, _MODEL_GRAPH, lambda graph: replace(graph, _GRAPH_INPUT, input_))
        for port in (_GRAPH_INPUT, _GRAPH_OUTPUT, _GRAPH_VALUE):
            model = replace(model, _MODEL_GRAPH, lambda graph: replace(graph, port, everywhere))
    except IndexError as error:
        raise ValueError("this is no ONNX model") from error
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


def text(message: bytes, wanted: int) -> str:
    """The first string of that field, or nothing."""
    return next((content.decode("utf-8", "replace") for number, kind, content in fields(message) if number == wanted and kind == BYTES), "")


def fields(message: bytes) -> Iterator[Tuple[int, int, bytes]]:
    """(number, wire type, content) of each field; of varints the content is their bytes."""
    for number, kind, start, inner, end in _spans(message):
        yield number, kind, message[inner:end]


def replace(message: bytes, wanted: int, edit: Callable[[bytes], bytes]) -> bytes:
    """The message with the content of all fields `wanted` edited."""
    parts: List[bytes] = []
    kept = 0
    for number, kind, start, inner, end in _spans(message):
        if number != wanted or kind != BYTES:
            continue
        content = message[inner:end]
        edited = edit(content)
        if edited != content:
            parts += [message[kept:start], _varint(wanted << 3 | BYTES), _varint(len(edited)), edited]
            kept = end
    return b"".join([*parts, message[kept:]]) if parts else message


def message(parts: Iterable[Tuple[int, int, Union[bytes, int]]]) -> bytes:
    """The message of these fields: (number, wire type, content); a varint's content is its value or its bytes."""
    out = []
    for number, kind, content in parts:
        content = _varint(content) if isinstance(content, int) else content
        out += [_varint(number << 3 | kind), *([_varint(len(content))] if kind == BYTES else []), content]
    return b"".join(out)


def _spans(message: bytes) -> Iterator[Tuple[int, int, int, int, int]]:
    position = 0
    while position < len(message):
        start = position
        tag, position = _read_varint(message, position)
        number, kind = tag >> 3, tag & 7
        inner = position
        if kind == VARINT:
            _, end = _read_varint(message, position)
        elif kind == BYTES:
            length, inner = _read_varint(message, position)
            end = inner + length
        elif kind in (_FIXED64, _FIXED32):
            end = position + (8 if kind == _FIXED64 else 4)
        else:
            raise IndexError("no such wire type")
        if end > len(message):
            raise IndexError("the message ends early")
        yield number, kind, start, inner, end
        position = end


def _read_varint(message: bytes, position: int) -> Tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[position]
        value |= (byte & 127) << shift
        position += 1
        shift += 7
        if byte < 128:
            return value, position


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _varint_field(number: int, value: int) -> bytes:
    return _varint(number << 3 | VARINT) + _varint(value)

"""Protobuf's wire format: reading messages, and changing them in place, without their schemas."""
from typing import Any, Callable, Iterable, Iterator, List, Tuple, Union

Edit = Callable[[bytes], bytes]

VARINT, _FIXED64, BYTES, _FIXED32 = 0, 1, 2, 5


def text(message: bytes, wanted: int) -> str:
    """The first string of that field, or nothing."""
    return next((content.decode("utf-8", "replace") for number, kind, content in fields(message) if number == wanted and kind == BYTES), "")


def fields(message: Any) -> Iterator[Tuple[int, int, Any]]:
    """(number, wire type, content) of each field; of varints the content is their bytes. A memoryview is not copied."""
    for number, kind, start, inner, end in _spans(message):
        yield number, kind, message[inner:end]


def replace(message: bytes, wanted: int, edit: Edit) -> bytes:
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


def _spans(message: Any) -> Iterator[Tuple[int, int, int, int, int]]:
    position = 0
    while position < len(message):
        start = position
        tag, position = read_varint(message, position)
        number, kind = tag >> 3, tag & 7
        inner = position
        if kind == VARINT:
            _, end = read_varint(message, position)
        elif kind == BYTES:
            length, inner = read_varint(message, position)
            end = inner + length
        elif kind in (_FIXED64, _FIXED32):
            end = position + (8 if kind == _FIXED64 else 4)
        else:
            raise IndexError("no such wire type")
        if end > len(message):
            raise IndexError("the message ends early")
        yield number, kind, start, inner, end
        position = end


def read_varint(message: Any, position: int) -> Tuple[int, int]:
    """(value, position behind it)"""
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


def varint_field(number: int, value: int) -> bytes:
    return _varint(number << 3 | VARINT) + _varint(value)

"""Paddle's format of parameters: tensors one after the other, without names or padding.

Per tensor: u32 0, u64 number of LoD levels (each u64 size and bytes), u32 0, i32 size of a protobuf TensorDesc
(field 1 the dtype, field 2 the dims), the descriptor, the elements.
"""
import struct
from typing import BinaryIO, Iterator, List, Tuple

import numpy as np

from .errors import ModelError

# VarType ids. bfloat16 has no numpy dtype and is kept as the uint16 of its bits.
DTYPES = {
    0: "bool",
    1: "int16",
    2: "int32",
    3: "int64",
    4: "float16",
    5: "float32",
    6: "float64",
    20: "uint8",
    21: "int8",
    22: "uint16",
    23: "complex64",
    24: "complex128",
}
CODES = {name: code for code, name in DTYPES.items()}


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while True:
        low, value = value & 127, value >> 7
        out.append(low | (128 if value else 0))
        if not value:
            return bytes(out)


def _varints(data: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def write_tensor(file: BinaryIO, array: np.ndarray) -> None:
    """Appends one tensor."""
    descriptor = b"\x08" + _varint(CODES[str(array.dtype)]) + b"".join(b"\x10" + _varint(dim) for dim in array.shape)
    file.write(bytes(16) + struct.pack("<i", len(descriptor)) + descriptor)
    file.write(np.ascontiguousarray(array).tobytes())


def read_tensor(file: BinaryIO) -> np.ndarray:
    """Reads one tensor.

    Raises:
        ModelError: the stream ends early or is no tensor.
    """

    def take(count: int) -> bytes:
        data = file.read(count)
        if len(data) != count:
            raise ModelError(f"the parameters end early, {count - len(data)} bytes missing at byte {file.tell()}")
        return data

    start = file.tell()
    version, levels = struct.unpack("<IQ", take(12))
    if version != 0 or levels > 64:
        raise ModelError(f"no tensor at byte {start} of the parameters")
    for _ in range(levels):
        take(struct.unpack("<Q", take(8))[0])
    version, size = struct.unpack("<Ii", take(8))
    if version != 0 or not 0 < size < 4096:
        raise ModelError(f"no tensor at byte {start} of the parameters")
    code, dims = _descriptor(take(size), start)
    dtype = np.dtype(DTYPES[code])
    count = 1
    for dim in dims:
        count *= dim
    return np.frombuffer(take(count * dtype.itemsize), dtype).reshape(dims)


def _descriptor(data: bytes, start: int) -> "Tuple[int, List[int]]":
    code, dims = -1, []
    words = _varints(data)
    for tag in words:
        value = next(words, None)
        if value is None:
            break
        if tag == 0x08:
            code = value
        elif tag == 0x10:
            dims.append(value)
    if code not in DTYPES:
        raise ModelError(f"the tensor at byte {start} of the parameters has the unknown dtype {code}")
    return code, dims

"""ONNX files with weights in a second file: the few parts of the format that they need."""
import struct


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def value_info(name, *dims):
    shape = b"".join(field(1, field(1, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def weight(name, rows, columns, location, offset):
    entries = {"location": location, "offset": str(offset), "length": str(4 * rows * columns)}
    external = b"".join(field(13, field(1, key) + field(2, value)) for key, value in entries.items())
    return field(1, rows) + field(1, columns) + field(2, 1) + field(8, name) + external + field(14, 1)


def model(nodes, tensors, inputs, outputs):
    graph = nodes + field(2, "g") + tensors + field(11, inputs) + field(12, outputs)
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))


def model_with_weights(folder, size, offsets, location="weights.bin"):
    """x times one square matrix after another; the matrices are at those offsets of one file, in which all else is a hole."""
    nodes, tensors, last = b"", b"", "x"
    with (folder / "weights.bin").open("wb") as file:
        for i, offset in enumerate(offsets):
            file.seek(offset)
            file.write(b"".join(struct.pack("<f", (i + 1) * (n % 97)) for n in range(size * size)))
            nodes += field(1, field(1, last) + field(1, f"w{i}") + field(2, f"y{i}") + field(4, "MatMul"))
            tensors += field(5, weight(f"w{i}", size, size, location, offset))
            last = f"y{i}"
    (folder / "model.onnx").write_bytes(model(nodes, tensors, value_info("x", 2, size), value_info(last, 2, size)))


def model_of_zeros(folder, rows, columns):
    """x times one large matrix, which is a hole."""
    with (folder / "weights.bin").open("wb") as file:
        file.truncate(4 * rows * columns)
    node = field(1, field(1, "x") + field(1, "w") + field(2, "y") + field(4, "MatMul"))
    tensors = field(5, weight("w", rows, columns, "weights.bin", 0))
    (folder / "model.onnx").write_bytes(model(node, tensors, value_info("x", 2, rows), value_info("y", 2, columns)))

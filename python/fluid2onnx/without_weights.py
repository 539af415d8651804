"""ONNX models whose weights are zeros: what a report of a bug may show, and still a model that converts."""
import re
from typing import Dict, Tuple

from . import wire

# Fields of onnx.proto.
_GRAPH, _FUNCTIONS, _MODEL_PROPERTIES = 7, 25, 14
_NODES, _INITIALIZERS, _SPARSE = 1, 5, 15
_FUNCTION_NODES = 7
_ATTRIBUTES, _NODE_DOC, _NODE_PROPERTIES = 5, 6, 9
_TENSOR, _SUBGRAPH, _TENSORS, _SUBGRAPHS, _SPARSE_TENSOR, _SPARSE_TENSORS = 5, 6, 10, 11, 22, 23
_VALUES = 1
_DIMS, _DTYPE, _STRINGS = 1, 2, 6
_FIXED, _VARINTS = (4, 9, 10), (5, 7, 11)  # float_data, raw_data, double_data; int32_data, int64_data, uint64_data
_VALUE = 2

_INDICES = (6, 7, 9)  # int32, int64 and bool: shapes, axes and other values that decide how operators are converted
_MOST_INDICES = 256
_MOST_NUMBERS = 8  # such as the scales of a Resize

_CONTINUED = bytes(range(128, 256))  # bytes of a varint that are not its last
_FOLDERS = re.compile(rb"(?:[A-Za-z]:)?(?:[/\\][^/\\\s\"':,]+)+[/\\]")


def without_weights(model: bytes) -> bytes:
    """The model with zeros for its numbers but for short lists, and without the folders that exporters note.

    Raises:
        IndexError: the model is damaged.
    """
    model = wire.replace(model, _GRAPH, _graph)
    model = wire.replace(model, _FUNCTIONS, lambda function: wire.replace(function, _FUNCTION_NODES, _node))
    return wire.replace(model, _MODEL_PROPERTIES, _property)


def _graph(graph: bytes) -> bytes:
    graph = wire.replace(graph, _NODES, _node)
    graph = wire.replace(graph, _INITIALIZERS, _tensor)
    return wire.replace(graph, _SPARSE, _sparse)


def _node(node: bytes) -> bytes:
    node = wire.replace(node, _ATTRIBUTES, _attribute)
    node = wire.replace(node, _NODE_DOC, _plain)
    return wire.replace(node, _NODE_PROPERTIES, _property)


def _attribute(attribute: bytes) -> bytes:
    for number, edit in _EDITS.items():
        attribute = wire.replace(attribute, number, edit)
    return attribute


def _sparse(sparse: bytes) -> bytes:
    return wire.replace(sparse, _VALUES, _tensor)


def _tensor(tensor: bytes) -> bytes:
    count, dtype = _size(tensor)
    if count <= (_MOST_INDICES if dtype in _INDICES else _MOST_NUMBERS):
        return tensor
    if any(number in (*_FIXED, *_VARINTS) and kind != wire.BYTES for number, kind, _ in wire.fields(memoryview(tensor))):
        raise IndexError("numbers that are not packed")
    for number in _FIXED:
        tensor = wire.replace(tensor, number, lambda data: bytes(len(data)))
    for number in _VARINTS:
        tensor = wire.replace(tensor, number, lambda data: bytes(len(data.translate(None, _CONTINUED))))
    return wire.replace(tensor, _STRINGS, lambda text: b"")


def _size(tensor: bytes) -> Tuple[int, int]:
    """(number of elements, dtype)"""
    count, dtype = 1, 0
    for number, kind, content in wire.fields(memoryview(tensor)):
        if number == _DTYPE and kind == wire.VARINT:
            dtype = wire.read_varint(content, 0)[0]
        elif number == _DIMS and kind == wire.VARINT:
            count *= wire.read_varint(content, 0)[0]
        elif number == _DIMS:  # packed
            position = 0
            while position < len(content):
                dim, position = wire.read_varint(content, position)
                count *= dim
    return count, dtype


def _plain(text: bytes) -> bytes:
    return _FOLDERS.sub(b"", text)


def _property(entry: bytes) -> bytes:
    return wire.replace(entry, _VALUE, _plain)


_EDITS: Dict[int, "wire.Edit"] = {
    _TENSOR: _tensor,
    _TENSORS: _tensor,
    _SUBGRAPH: _graph,
    _SUBGRAPHS: _graph,
    _SPARSE_TENSOR: _sparse,
    _SPARSE_TENSORS: _sparse,
}

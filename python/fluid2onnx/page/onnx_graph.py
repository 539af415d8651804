"""The graph of an ONNX file, read without the package onnx."""
import os
import struct
from typing import Any, Dict, Iterable, List, Optional, Tuple

from .. import wire
from ..errors import ModelError
from .graph import Graph, Node, Tensor, size_text, type_text

_DTYPES = {
    0: "undefined", 1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool",
    10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16", 17: "float8e4m3fn",
    18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4e2m1",
}  # fmt: skip
_BITS = {2: 8, 3: 8, 4: 16, 5: 16, 7: 64, 9: 8, 10: 16, 11: 64, 13: 64, 14: 64, 15: 128, 16: 16, 17: 8, 18: 8, 19: 8, 20: 8, 21: 4, 22: 4, 23: 4}


def onnx_graph(path: str) -> Graph:
    """Raises ModelError if the file cannot be read, or is no ONNX model."""
    try:
        with open(path, "rb") as file:
            content = file.read()
        return _Reader(path, content).graph
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}") from error
    except (IndexError, struct.error) as error:
        raise ModelError(f"{path}: not an ONNX model") from error


def _number(content: bytes) -> int:
    """A varint's value, as int64."""
    value = 0
    for position, byte in enumerate(content):
        value |= (byte & 127) << (7 * position)
    return value - (1 << 64) if value >= 1 << 63 else value


class _Fields:
    """A message's fields by number."""

    def __init__(self, message: bytes) -> None:
        self._all: Dict[int, List[Tuple[int, bytes]]] = {}
        for number, kind, content in wire.fields(message):
            self._all.setdefault(number, []).append((kind, content))

    def messages(self, number: int) -> List[bytes]:
        return [content for _, content in self._all.get(number, [])]

    def texts(self, number: int) -> List[str]:
        return [content.decode("utf-8", "replace") for content in self.messages(number)]

    def text(self, number: int) -> str:
        return next(iter(self.texts(number)), "")

    def numbers(self, number: int) -> List[int]:
        found: List[int] = []
        for kind, content in self._all.get(number, []):
            found += [_number(content)] if kind == wire.VARINT else _packed(content)
        return found

    def number(self, number: int) -> int:
        return next(iter(self.numbers(number)), 0)

    def has(self, number: int) -> bool:
        return number in self._all


def _packed(content: bytes) -> List[int]:
    found, start = [], 0
    for position, byte in enumerate(content):
        if byte < 128:
            found.append(_number(content[start : position + 1]))
            start = position + 1
    return found


class _Reader:
    def __init__(self, path: str, content: bytes) -> None:
        model = _Fields(content)
        graphs = model.messages(7)
        if not graphs or not model.has(8):
            raise ModelError(f"{path}: not an ONNX model")
        self._nodes: List[Node] = []
        self._tensors: Dict[str, Tensor] = {}
        opsets = [_Fields(opset) for opset in model.messages(8)]
        facts = [("opset", ", ".join(f"{opset.text(1) or 'ai.onnx'} {opset.number(2)}" for opset in opsets)), ("IR version", str(model.number(1)))]
        producer = f"{model.text(2)} {model.text(3)}".strip()
        facts += [("made by", producer)] if producer else []
        main = _Fields(graphs[0])
        self._graph(main, [])
        weights = [tensor.bytes or 0 for tensor in self._tensors.values() if tensor.weight]
        facts += [("nodes", str(len(self._nodes))), ("weights", f"{len(weights)}, {size_text(sum(weights))}")]
        for function in map(_Fields, model.messages(25)):
            facts.append(("function", function.text(1)))
        initializers = {name for name, tensor in self._tensors.items() if tensor.weight}
        inputs = [name for name in self._ports(main, 11) if name not in initializers]
        outputs = self._ports(main, 12)
        self.graph = Graph(os.path.basename(path), facts, self._nodes, self._tensors, [(name, name) for name in inputs], [(name, name) for name in outputs])

    def _graph(self, graph: _Fields, scope: List[str]) -> None:
        for weight in map(_Fields, graph.messages(5)):
            self._weight(weight)
        for number in (11, 12, 13):
            for value in map(_Fields, graph.messages(number)):
                known = _type_of(value.messages(2))
                if known and value.text(1) not in self._tensors:
                    self._tensors[value.text(1)] = Tensor(known)
        for index, node in enumerate(map(_Fields, graph.messages(1))):
            self._node(index, node, scope)

    def _ports(self, graph: _Fields, number: int) -> List[str]:
        return [_Fields(value).text(1) for value in graph.messages(number)]

    def _weight(self, weight: _Fields) -> None:
        dims, dtype = weight.numbers(1), weight.number(2)
        count = 1
        for dim in dims:
            count *= dim
        self._tensors[weight.text(8)] = Tensor(type_text(_DTYPES.get(dtype, "?"), dims), count * _BITS.get(dtype, 32) // 8, True)

    def _node(self, index: int, node: _Fields, scope: List[str]) -> None:
        name, kind = node.text(3), node.text(4)
        domain = node.text(7)
        layers = [part for part in name.split("/")[:-1] if part]
        attributes: List[Tuple[str, str]] = []
        bodies: List[Tuple[str, _Fields]] = []
        for attribute in map(_Fields, node.messages(5)):
            if attribute.has(6) or attribute.has(11):
                bodies += [(attribute.text(1), _Fields(body)) for body in [*attribute.messages(6), *attribute.messages(11)]]
            else:
                attributes.append((attribute.text(1), _attribute(attribute)))
        self._nodes.append(
            Node(
                f"{domain}::{kind}" if domain else kind,
                [(str(position), text) for position, text in enumerate(node.texts(1)) if text],
                [(str(position), text) for position, text in enumerate(node.texts(2)) if text],
                name,
                f"node {index}" + (f" of {scope[-1]}" if scope else ""),
                node.text(6),
                [*scope, *layers],
                attributes,
            )
        )
        for body_name, body in bodies:
            self._graph(body, [*scope, *layers, f"{body_name} of {name or kind + ' ' + str(index)}"])


def _type_of(types: List[bytes]) -> str:
    for tensor in (_Fields(content) for kind in types for content in _Fields(kind).messages(1)):
        shape: Optional[List[Any]] = None
        for dims in tensor.messages(2):
            shape = [_dim(_Fields(dim)) for dim in _Fields(dims).messages(1)]
        return type_text(_DTYPES.get(tensor.number(1), "?"), shape)
    return ""


def _dim(dim: _Fields) -> Any:
    return dim.number(1) if dim.has(1) else dim.text(2) or None


def _attribute(attribute: _Fields) -> str:
    kind = attribute.number(20)
    if kind == 1:
        return _floats(attribute.messages(2))
    if kind == 2:
        return str(attribute.number(3))
    if kind == 3:
        return attribute.text(4)[:200]
    if kind == 4:
        value = _Fields(attribute.messages(5)[0])
        return type_text(_DTYPES.get(value.number(2), "?"), list(value.numbers(1)))
    if kind == 6:
        return _floats(attribute.messages(7))
    if kind == 7:
        return _listed(map(str, attribute.numbers(8)))
    if kind == 8:
        return _listed(attribute.texts(9))
    return "..."


def _floats(parts: List[bytes]) -> str:
    return _listed(f"{number:g}" for part in parts for (number,) in struct.iter_unpack("<f", part))


def _listed(texts: Iterable[str]) -> str:
    shown = list(texts)
    return ", ".join(shown[:20]) + (f" and {len(shown) - 20} more" if len(shown) > 20 else "")
